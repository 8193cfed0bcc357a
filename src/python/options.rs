//! Keyword arguments of a call. Each argument is read by its name, and unknown names are errors.

use std::collections::BTreeMap;
use std::str::FromStr;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::error::usage;
use super::scene::value_text;

/// The keyword arguments of a call; an argument with the value None counts as absent.
pub struct KeywordOptions<'py> {
    py: Python<'py>,
    left: BTreeMap<String, Bound<'py, PyAny>>,
}

impl<'py> KeywordOptions<'py> {
    pub fn new(py: Python<'py>, keywords: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        let given = keywords.into_iter().flatten().filter(|(_, value)| !value.is_none());
        let left = given.map(|(name, value)| Ok((name.extract()?, value))).collect::<PyResult<_>>()?;
        Ok(Self { py, left })
    }

    /// The argument `name` as a value of type `T`. `right` describes valid values in the error message.
    pub fn read<T: FromPyObjectOwned<'py>>(&mut self, name: &str, right: &str) -> PyResult<Option<T>> {
        let read = |value: Bound<'py, PyAny>| {
            value.extract().map_err(|_| usage(self.py, format_args!("{name}: give {right}, not {value}")))
        };
        self.left.remove(name).map(read).transpose()
    }

    /// Whether the argument `name` is set to True.
    pub fn is_on(&mut self, name: &str) -> PyResult<bool> {
        Ok(self.read(name, "True or False")?.unwrap_or(false))
    }

    /// The argument `name`, parsed from its text.
    pub fn parsed<T: FromStr<Err: std::fmt::Display>>(&mut self, name: &str) -> PyResult<Option<T>> {
        let parse = |value: Bound<'py, PyAny>| {
            value_text(&value)?.parse().map_err(|why| usage(self.py, format_args!("{name}: {why}")))
        };
        self.left.remove(name).map(parse).transpose()
    }

    /// Several values parsed from text: the argument is a list, or one text with commas between the values.
    pub fn list<T: FromStr<Err: std::fmt::Display>>(&mut self, name: &str) -> PyResult<Vec<T>> {
        let Some(value) = self.left.remove(name) else { return Ok(Vec::new()) };
        let texts = match items(&value) {
            Some(items) => items?.iter().map(value_text).collect::<PyResult<Vec<_>>>()?,
            None => value_text(&value)?.split(',').map(str::to_string).collect(),
        };
        let parse = |text: &String| text.parse().map_err(|why| usage(self.py, format_args!("{name}: {why}")));
        texts.iter().map(parse).collect()
    }

    /// The index in `words` of the word that the argument contains; 0 if the argument is absent.
    pub fn choice(&mut self, name: &str, words: &[&str]) -> PyResult<usize> {
        let Some(text) = self.parsed::<String>(name)? else { return Ok(0) };
        let index = words.iter().position(|word| *word == text);
        index.ok_or_else(|| usage(self.py, format_args!("{name}: give {}, not {text}", words.join(" or "))))
    }

    /// The argument `name` as a pair of values.
    pub fn pair<T: FromPyObjectOwned<'py>>(&mut self, name: &str) -> PyResult<Option<(T, T)>> {
        let Some(value) = self.left.remove(name) else { return Ok(None) };
        let wrong = || usage(self.py, format_args!("{name}: give two numbers, not {value}"));
        let items = items(&value).ok_or_else(wrong)??;
        let [first, second] = &items[..] else { return Err(wrong()) };
        let number = |item: &Bound<'py, PyAny>| item.extract().map_err(|_| wrong());
        Ok(Some((number(first)?, number(second)?)))
    }

    /// Reports arguments that were not read as an error; `of` is the name of the call.
    pub fn finish(self, of: &str) -> PyResult<()> {
        match self.left.into_keys().next() {
            Some(name) => Err(usage(self.py, format_args!("`{name}` is not an option of {of}"))),
            None => Ok(()),
        }
    }
}

/// The items of a list, tuple or array; `None` for any other value.
pub fn items<'py>(value: &Bound<'py, PyAny>) -> Option<PyResult<Vec<Bound<'py, PyAny>>>> {
    let is_text = value.is_instance_of::<PyString>();
    value.try_iter().ok().filter(|_| !is_text).map(Iterator::collect)
}
