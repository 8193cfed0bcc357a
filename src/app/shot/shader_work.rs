//! Upper bounds for the work of a shader stage: texture reads and operations, counted in the shader's text.
//!
//! Only the more expensive side of each branch counts, so the numbers are upper bounds, not means.

use bevy::platform::collections::HashMap;
use bevy::shader::ShaderDefVal;
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, MathFunction, Module, Statement, TypeInner,
    UnaryOperator,
};
use naga_oil::compose::{Composer, NagaModuleDescriptor, ShaderDefValue, ShaderType};

/// Assumed number of iterations of a loop if the shader text does not show it.
const UNKNOWN_TURNS: f64 = 16.0;
/// Cost of a sine, a power or a root, in operations. Only a quarter of a card's units can compute these functions.
const TRANSCENDENTAL: f64 = 4.0;

/// Upper bound for the work of one run of a shader stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShaderWork {
    /// Number of texture samples and texture loads.
    pub texture_reads: f64,
    /// Number of scalar operations: an operation on a vector counts once for each component.
    pub operations: f64,
}

impl ShaderWork {
    fn plus(self, other: Self) -> Self {
        Self { texture_reads: self.texture_reads + other.texture_reads, operations: self.operations + other.operations }
    }

    fn times(self, turns: f64) -> Self {
        Self { texture_reads: self.texture_reads * turns, operations: self.operations * turns }
    }

    /// Takes the greater number of texture reads and the greater number of operations.
    fn max(self, other: Self) -> Self {
        Self {
            texture_reads: self.texture_reads.max(other.texture_reads),
            operations: self.operations.max(other.operations),
        }
    }
}

/// A parsed shader, from which the work of its stages can be counted.
pub struct ParsedShader {
    module: Module,
    info: ModuleInfo,
    functions: HashMap<Handle<Function>, ShaderWork>,
}

impl ParsedShader {
    /// Parses the WGSL `text` with the definitions `defs`.
    ///
    /// # Errors
    /// A description of the first error in the text.
    pub fn new(text: &str, defs: &[ShaderDefVal]) -> Result<Self, String> {
        let shader_defs = defs.iter().map(|def| match def {
            ShaderDefVal::Bool(name, value) => (name.clone(), ShaderDefValue::Bool(*value)),
            ShaderDefVal::Int(name, value) => (name.clone(), ShaderDefValue::Int(*value)),
            ShaderDefVal::UInt(name, value) => (name.clone(), ShaderDefValue::UInt(*value)),
        });
        let described = NagaModuleDescriptor {
            source: text,
            file_path: "talweg.wgsl",
            shader_type: ShaderType::Wgsl,
            shader_defs: shader_defs.collect(),
            additional_imports: &[],
        };
        let module = Composer::non_validating().make_naga_module(described).map_err(|error| error.to_string())?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|error| error.as_inner().to_string())?;
        let mut shader = Self { module, info, functions: HashMap::default() };
        // the module lists each function after the functions that it calls
        for (handle, function) in shader.module.functions.iter() {
            let work = shader.block(&function.body, function, &shader.info[handle]);
            shader.functions.insert(handle, work);
        }
        Ok(shader)
    }

    /// The work of the entry point with this name, if there is one.
    pub fn entry_point(&self, name: &str) -> Option<ShaderWork> {
        let index = self.module.entry_points.iter().position(|entry| entry.name == name)?;
        let function = &self.module.entry_points[index].function;
        Some(self.block(&function.body, function, self.info.get_entry_point(index)))
    }

    fn block(&self, block: &Block, function: &Function, info: &FunctionInfo) -> ShaderWork {
        let work = |statement: &Statement| match statement {
            Statement::Emit(range) => {
                let works = range.clone().map(|handle| self.expression(handle, function, info));
                works.fold(ShaderWork::default(), ShaderWork::plus)
            }
            Statement::Block(block) => self.block(block, function, info),
            Statement::If { accept, reject, .. } => {
                self.block(accept, function, info).max(self.block(reject, function, info))
            }
            Statement::Switch { cases, .. } => {
                let works = cases.iter().map(|case| self.block(&case.body, function, info));
                works.fold(ShaderWork::default(), ShaderWork::max)
            }
            Statement::Loop { body, continuing, .. } => {
                let turn = self.block(body, function, info).plus(self.block(continuing, function, info));
                turn.times(self.iterations(body, function))
            }
            Statement::Call { function, .. } => self.functions.get(function).copied().unwrap_or_default(),
            _ => ShaderWork::default(),
        };
        block.iter().map(work).fold(ShaderWork::default(), ShaderWork::plus)
    }

    /// Number of iterations of a loop that counts up from 0. The number is the limit in the first condition that ends
    /// the loop.
    fn iterations(&self, body: &Block, function: &Function) -> f64 {
        let ends = |block: &Block| block.iter().any(|statement| matches!(statement, Statement::Break));
        let condition = body.iter().find_map(|statement| match statement {
            Statement::If { condition, accept, reject } if ends(accept) || ends(reject) => Some(*condition),
            _ => None,
        });
        let limit = condition.and_then(|condition| self.limit(condition, function));
        limit.filter(|turns| *turns > 0.0).unwrap_or(UNKNOWN_TURNS)
    }

    /// The number that a condition compares with; `None` if the condition has no comparison with a number.
    fn limit(&self, condition: Handle<Expression>, function: &Function) -> Option<f64> {
        match function.expressions[condition] {
            Expression::Unary { op: UnaryOperator::LogicalNot, expr } => self.limit(expr, function),
            Expression::Binary { op: BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr, left, right } => {
                self.limit(left, function).or_else(|| self.limit(right, function))
            }
            Expression::Binary { op: BinaryOperator::Less | BinaryOperator::LessEqual, right, .. } => {
                self.number(right, function)
            }
            _ => None,
        }
    }

    fn number(&self, handle: Handle<Expression>, function: &Function) -> Option<f64> {
        let literal = match function.expressions[handle] {
            Expression::Literal(literal) => literal,
            Expression::Constant(constant) => {
                match self.module.global_expressions[self.module.constants[constant].init] {
                    Expression::Literal(literal) => literal,
                    _ => return None,
                }
            }
            _ => return None,
        };
        match literal {
            Literal::U32(value) => Some(f64::from(value)),
            Literal::I32(value) => Some(f64::from(value)),
            Literal::F32(value) => Some(f64::from(value)),
            _ => None,
        }
    }

    fn expression(&self, handle: Handle<Expression>, function: &Function, info: &FunctionInfo) -> ShaderWork {
        let numbers = |handle: Handle<Expression>| match info[handle].ty.inner_with(&self.module.types) {
            TypeInner::Vector { size, .. } => f64::from(*size as u8),
            TypeInner::Matrix { columns, rows, .. } => f64::from(*columns as u8 * *rows as u8),
            _ => 1.0,
        };
        let operations = |operations: f64| ShaderWork { texture_reads: 0.0, operations };
        match function.expressions[handle] {
            Expression::ImageSample { .. } | Expression::ImageLoad { .. } => {
                ShaderWork { texture_reads: 1.0, operations: 0.0 }
            }
            // a matrix times a vector costs as many operations as the matrix has elements
            Expression::Binary { left, right, .. } => {
                operations(numbers(handle).max(numbers(left)).max(numbers(right)))
            }
            Expression::Unary { .. } | Expression::Select { .. } | Expression::Derivative { .. } => {
                operations(numbers(handle))
            }
            Expression::As { .. } | Expression::Relational { .. } => operations(numbers(handle)),
            Expression::Math { fun, arg, .. } => operations(numbers(handle).max(numbers(arg)) * weight_of(fun)),
            _ => ShaderWork::default(),
        }
    }
}

/// Number of operations that a mathematical function costs per component of its argument.
fn weight_of(function: MathFunction) -> f64 {
    use MathFunction::{
        Abs, Ceil, Clamp, Cross, Dot, Floor, Fma, Fract, Max, Min, Mix, Round, Saturate, Sign, SmoothStep, Step, Trunc,
    };
    match function {
        Abs | Ceil | Dot | Floor | Fma | Fract | Max | Min | Round | Saturate | Sign | Step | Trunc => 1.0,
        Clamp | Mix | Cross => 2.0,
        SmoothStep => 6.0,
        _ => TRANSCENDENTAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        @group(0) @binding(0) var map: texture_2d<f32>;
        @group(0) @binding(1) var smooth_sampler: sampler;

        fn read(at: vec2<f32>) -> vec4<f32> {
            return textureSampleLevel(map, smooth_sampler, at, 0.0);
        }

        @fragment
        fn main(@location(0) at: vec2<f32>) -> @location(0) vec4<f32> {
            var sum = vec4<f32>(0.0);
            for (var k = 0u; k < 5u; k += 1u) {
                if at.x > 0.5 {
                    sum += read(at) * read(at + vec2<f32>(0.1));
                } else {
                    sum += read(at);
                }
            }
        #ifdef LOADED
            sum += textureLoad(map, vec2<i32>(0), 0);
        #endif
            return sum;
        }
    ";

    #[test]
    fn loops_and_the_costlier_branch_are_counted() {
        let shader = ParsedShader::new(TEXT, &[]).unwrap();
        let plain = shader.entry_point("main").unwrap();
        assert_eq!(plain.texture_reads, 10.0);
        // each iteration has a product and a sum of vectors with four components, a sum of vectors with two components,
        // the counter, and the conditions
        assert!((5.0 * 10.0..5.0 * 16.0).contains(&plain.operations), "{plain:?}");
        let loaded = ParsedShader::new(TEXT, &["LOADED".into()]).unwrap().entry_point("main").unwrap();
        assert_eq!((loaded.texture_reads, loaded.operations), (11.0, plain.operations + 4.0));
        assert_eq!(shader.entry_point("other"), None);
    }

    #[test]
    fn an_invalid_shader_is_refused() {
        assert!(ParsedShader::new("fn f() -> f32 { return 1u; }", &[]).is_err());
        assert!(ParsedShader::new("fn f( {", &[]).is_err());
    }
}
