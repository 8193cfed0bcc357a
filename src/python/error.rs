//! Python exceptions with the messages of the library.

use pyo3::exceptions::{PyException, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};
use pyo3::{create_exception, intern};

use talweg::scene::{Scene, Severity, Warning};

create_exception!(
    talweg,
    TalwegError,
    PyException,
    "Something failed; the message says what happened, where, and what to do."
);
create_exception!(talweg, TalwegWarning, PyUserWarning, "A value of a scene was corrected, or a layer has no effect.");

/// The class `talweg.UsageError`, for wrong arguments: a subclass of [`TalwegError`] and `ValueError`.
pub fn usage_error(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = TYPE.get_or_try_init(py, || {
        let bases = PyTuple::new(py, [py.get_type::<TalwegError>(), py.get_type::<PyValueError>()])?;
        let about = pyo3::types::PyDict::new(py);
        about.set_item("__doc__", "An argument is wrong; the message says what would be right.")?;
        about.set_item("__module__", "talweg")?;
        let made = py.get_type::<PyType>().call1(("UsageError", bases, about))?;
        Ok::<_, PyErr>(made.cast_into::<PyType>()?.unbind())
    })?;
    Ok(made.bind(py).clone())
}

/// A `UsageError` with the message `text`.
pub fn usage(py: Python<'_>, text: impl std::fmt::Display) -> PyErr {
    match usage_error(py) {
        Ok(class) => PyErr::from_type(class, text.to_string()),
        Err(error) => error,
    }
}

/// A `TalwegError` with the message of `error`.
pub fn failed(error: impl std::fmt::Display) -> PyErr {
    TalwegError::new_err(error.to_string())
}

/// Issues a Python warning.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    py.import(intern!(py, "warnings"))?
        .call_method1(intern!(py, "warn"), (text, py.get_type::<TalwegWarning>(), 2))
        .map(drop)
}

/// Issues a warning for each value that was corrected when a scene was read.
pub fn warn_of_corrections(py: Python<'_>, warnings: &[Warning]) -> PyResult<()> {
    warnings.iter().try_for_each(|Warning(text)| warn(py, text))
}

/// Refuses a scene with unusable files or layers, and issues warnings about layers without effect.
pub fn check_problems(py: Python<'_>, scene: &Scene) -> PyResult<()> {
    for problem in scene.problems() {
        let text = format!("layer `{}`: {}", scene.layers[problem.layer].name, problem.message);
        match problem.severity {
            Severity::Broken => return Err(failed(text)),
            Severity::Idle => warn(py, &text)?,
        }
    }
    Ok(())
}
