//! The two macros that describe parameters: [`params!`](crate::params) and [`choices!`](crate::choices).

/// Describes a group of parameters once.
///
/// ```
/// talweg_ground::params! {
///     /// Moves loose rock downhill until no slope is steeper than the talus angle.
///     Slide "Rock slide" in "Erosion", from "Musgrave et al. 1989", also "talus scree" {
///         /// Steepest slope that is still stable.
///         talus_angle: f32 ["°"] = 34.0, 0.0..=89.0, slider 15.0..=60.0;
///         /// Number of passes.
///         passes: u32 [""] = 50, 0..=10_000, slider 1..=500;
///         /// Whether the edges keep their height.
///         pin_edges: bool = false;
///         /// Width of the fixed strip along the edges.
///         pinned_metres: f32 ["m"] = 50.0, 0.0..=1000.0 => |slide| slide.pin_edges;
///         presets {
///             Light "Light": "Softens sharp ridges." { passes = 10 }
///             Strong "Strong": "Buries the valleys in scree." { passes = 300, talus_angle = 28.0 }
///         }
///     }
/// }
/// # use talweg_ground::param::Params;
/// assert_eq!(Slide::default().about().params[0].unit, "°");
/// assert_eq!(Slide::default().about().presets[1].values.len(), 2);
/// assert!(!Slide::default().matters(3), "no edge is pinned");
/// ```
///
/// The macro generates the struct (with public fields), `Default`, serde and [`Params`](crate::param::Params). In files
/// a missing key means the default, an unknown key is an error, and defaults are not written. A number needs a hard
/// range; without a slider range, the slider covers the hard range. `=>` gives the condition under which a parameter
/// has an effect; otherwise the panel greys it. `zero "Off"` after the ranges gives the word that the window shows
/// for 0. `from`, `also` (search words) and `presets` are optional. Parameters that a preset does not name keep their
/// defaults. The panel derives the label from the name in files, here `Pin edges`, unless the parameter states a
/// label: `pin_edges as "Fixed edges": bool = false;`. A number with the unit `"share"` is a fraction: 0 to 1 in
/// files, percent in the panel.
///
/// Parameters that several groups share are written once, in a macro. A group invokes that macro as `name!(…);`, and
/// the macro inserts the shared parameters before the remaining ones. Shared parameters are fields and keys like all
/// others:
///
/// ```
/// macro_rules! size_params {
///     (@into $head:tt $done:tt [$($rest:tt)*] width = $width:expr) => {
///         talweg_ground::params! { @each $head $done [
///             /// Width of the hill.
///             width: f32 ["m"] = $width, 1.0..=1000.0;
///             /// Height of the hill.
///             height: f32 ["m"] = 10.0, 0.0..=1000.0;
///             $($rest)*
///         ] }
///     };
/// }
/// talweg_ground::params! {
///     /// A round hill.
///     Hill "Hill" in "Shapes" {
///         size_params!(width = 50.0);
///         /// Whether it has a flat top.
///         is_flat: bool = false;
///     }
/// }
/// # use talweg_ground::param::Params;
/// assert_eq!(Hill::default().width, 50.0);
/// assert_eq!(Hill::default().about().params[1].name, "height");
/// ```
///
/// A compiler error names the missing element. Without the brackets around the unit:
///
/// ```compile_fail
/// talweg_ground::params! {
///     /// Moves loose rock downhill.
///     Slide "Rock slide" in "Erosion" {
///         /// Steepest slope that is still stable.
///         talus_angle: f32 "°" = 34.0, 0.0..=89.0;
///     }
/// }
/// ```
///
/// the compiler says "`talus_angle` of `Slide`: the unit must be in brackets, as in `f32 ["m"]`". The compiler reports
/// a missing help sentence, default, range or semicolon in the same way:
///
/// ```compile_fail
/// # talweg_ground::params! {
/// #   /// Moves loose rock downhill.
/// #   Slide "Rock slide" in "Erosion" {
///         talus_angle: f32 ["°"] = 34.0, 0.0..=89.0;
/// # } }
/// ```
/// ```compile_fail
/// # talweg_ground::params! {
/// #   /// Moves loose rock downhill.
/// #   Slide "Rock slide" in "Erosion" {
///         /// Steepest slope that is still stable.
///         talus_angle: f32 ["°"], 0.0..=89.0;
/// # } }
/// ```
/// ```compile_fail
/// # talweg_ground::params! {
/// #   /// Moves loose rock downhill.
/// #   Slide "Rock slide" in "Erosion" {
///         /// Steepest slope that is still stable.
///         talus_angle: f32 ["°"] = 34.0;
/// # } }
/// ```
/// ```compile_fail
/// # talweg_ground::params! {
/// #   /// Moves loose rock downhill.
/// #   Slide "Rock slide" in "Erosion" {
///         /// Steepest slope that is still stable.
///         talus_angle: f32 ["°"] = 34.0, 0.0..=89.0
///         /// Number of passes.
///         passes: u32 = 50, 0..=10_000;
/// # } }
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $doc:literal])+
        $name:ident $label:literal in $category:literal $(, from $source:literal)? $(, also $also:literal)? {
            $(
                $(#[doc = $fdoc:literal])+
                $field:ident $(as $flabel:literal)? : $ty:ty $([$unit:literal])? = $default:expr
                $(, $hard:expr $(, slider $slider:expr)? $(, zero $zero:literal)?)? $(=> $matters:expr)? ;
            )*
            $( presets {
                $( $preset:ident $plabel:literal : $phelp:literal { $( $pfield:ident = $pvalue:expr ),* $(,)? } )+
            } )?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $( $(#[doc = $fdoc])+ pub $field: $ty, )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::param::serialize_params(self, serializer)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut params = Self::default();
                $crate::param::deserialize_params(&mut params, from)?;
                Ok(params)
            }
        }

        #[allow(unused_variables, reason = "a group can have no parameters")]
        impl $crate::param::Params for $name {
            fn about(&self) -> &'static $crate::param::About {
                static ABOUT: ::std::sync::LazyLock<$crate::param::About> = ::std::sync::LazyLock::new(|| {
                    let default = $name::default();
                    $crate::param::About {
                        name: stringify!($name),
                        label: $label,
                        category: $category,
                        source: concat!($($source)?),
                        synonyms: concat!($($also)?),
                        help: concat!($($doc),+).trim(),
                        names: &[ $( stringify!($field) ),* ],
                        params: vec![ $( $crate::param::ParamSpec {
                            name: stringify!($field),
                            label: $crate::params!(@label $field $($flabel)?),
                            unit: $crate::param::unit_in_files(concat!($($unit)?)),
                            is_fraction: concat!($($unit)?) == $crate::param::SHARE,
                            help: concat!($($fdoc),+).trim(),
                            kind: $crate::params!(@kind $ty $(, $hard $(, $slider)?)?),
                            zero: concat!($($($zero)?)?),
                            default: $crate::param::ParamType::to_value(&default.$field),
                        } ),* ],
                        presets: vec![ $($( $crate::param::Preset {
                            name: stringify!($preset),
                            label: $plabel,
                            help: $phelp,
                            values: {
                                #[allow(unused_mut, reason = "a preset can equal the default")]
                                let mut _made = $name::default();
                                $( _made.$pfield = $pvalue; )*
                                vec![ $( (
                                    stringify!($pfield),
                                    $crate::param::ParamType::to_value(&_made.$pfield),
                                ) ),* ]
                            },
                        } ),+)? ],
                    }
                });
                &ABOUT
            }

            fn get(&self, index: usize) -> $crate::param::Value {
                let values: &[&dyn Fn() -> $crate::param::Value] =
                    &[ $( &|| $crate::param::ParamType::to_value(&self.$field) ),* ];
                values[index]()
            }

            fn put(&mut self, index: usize, value: &$crate::param::Value) -> Result<(), $crate::param::ParamError> {
                let spec = &self.about().params[index];
                $( if spec.name == stringify!($field) {
                    self.$field = $crate::param::ParamType::from_value(value, spec)?;
                } )*
                Ok(())
            }

            fn matters(&self, index: usize) -> bool {
                let _name = self.about().params[index].name;
                $( $( if _name == stringify!($field) {
                    let matters: fn(&Self) -> bool = $matters;
                    return matters(self);
                } )? )*
                true
            }
        }
    };
    (@label $field:ident) => { $crate::param::label_of(stringify!($field)) };
    (@label $field:ident $label:literal) => { $label.to_string() };
    (@kind $ty:ty) => { <$ty as $crate::param::WithoutRange>::kind() };
    (@kind $ty:ty, $hard:expr) => { <$ty as $crate::param::WithRange>::kind($hard, $hard) };
    (@kind $ty:ty, $hard:expr, $slider:expr) => { <$ty as $crate::param::WithRange>::kind($hard, $slider) };

    // This rule moves well-formed parameters, one per step, from the last bracket group to the second.
    (@each [$($head:tt)*] [$($done:tt)*] [
        $(#[doc = $fdoc:literal])+
        $field:ident $(as $flabel:literal)? : $ty:ty $([$unit:literal])? = $default:expr
        $(, $hard:expr $(, slider $slider:expr)? $(, zero $zero:literal)?)? $(=> $matters:expr)? ;
        $($rest:tt)*
    ]) => {
        $crate::params! { @each [$($head)*] [
            $($done)*
            $(#[doc = $fdoc])+
            $field $(as $flabel)? : $ty $([$unit])? = $default
                $(, $hard $(, slider $slider)? $(, zero $zero)?)? $(=> $matters)? ;
        ] [$($rest)*] }
    };
    (@each [$($head:tt)*] [$($done:tt)*] [$shared:ident ! ($($args:tt)*); $($rest:tt)*]) => {
        $shared! { @into [$($head)*] [$($done)*] [$($rest)*] $($args)* }
    };
    (@each [$($head:tt)*] [$($done:tt)*] [
        $( presets {
            $( $preset:ident $plabel:literal : $phelp:literal { $( $pfield:ident = $pvalue:expr ),* $(,)? } )+
        } )?
    ]) => {
        $crate::params! { $($head)* {
            $($done)*
            $( presets { $( $preset $plabel : $phelp { $( $pfield = $pvalue ),* } )+ } )?
        } }
    };
    (@each [$($head:tt)*] [$($done:tt)*] [presets $($rest:tt)*]) => {
        compile_error! { "write a preset as `Name \"Label\": \"A sentence.\" { parameter = value }`, with all presets after the parameters" }
    };
    (@each [$(#[$_doc:meta])+ $name:ident $($_head:tt)*] $done:tt [$field:ident : $($rest:tt)*]) => {
        $crate::params! { @error $name $field "begin with a help sentence for the tooltip, `/// …`" }
    };
    (@each [$(#[$_doc:meta])+ $name:ident $($_head:tt)*] $done:tt [
        $(#[$_fdoc:meta])+ $field:ident : $ty:ty $([$unit:literal])? ; $($rest:tt)*
    ]) => { $crate::params! { @error $name $field "give a default, `= value`" } };
    (@each [$(#[$_doc:meta])+ $name:ident $($_head:tt)*] $done:tt [
        $(#[$_fdoc:meta])+ $field:ident : $ty:ty $([$unit:literal])? , $($rest:tt)*
    ]) => { $crate::params! { @error $name $field "give a default before the range, `= value`" } };
    (@each [$(#[$_doc:meta])+ $name:ident $($_head:tt)*] $done:tt [
        $(#[$_fdoc:meta])+ $field:ident : $ty:ident $unit:literal $($rest:tt)*
    ]) => { $crate::params! { @error $name $field "the unit must be in brackets, as in `f32 [\"m\"]`" } };
    (@each [$(#[$_doc:meta])+ $name:ident $($_head:tt)*] $done:tt [
        $(#[$_fdoc:meta])+ $field:ident : $ty:ty $([$unit:literal])? = $default:expr, $hard:expr, $slider:expr ;
        $($rest:tt)*
    ]) => { $crate::params! { @error $name $field "write `slider` before the second range" } };
    (@each [$(#[$_doc:meta])+ $name:ident $($_head:tt)*] $done:tt [
        $(#[$_fdoc:meta])+ $field:ident : $($rest:tt)*
    ]) => {
        $crate::params! { @error $name $field
            "write `type [\"unit\"] = default, hard range, slider range => |group| condition;`, \
             only the type, the default and the semicolon are always required" }
    };
    (@each [$(#[$_doc:meta])+ $name:ident $($_head:tt)*] $done:tt [$($rest:tt)*]) => {
        compile_error! { concat!(
            "`", stringify!($name), "`: expected a parameter as `/// A sentence.` and `name: type = default;`, found: ",
            stringify!($($rest)*)
        ) }
    };
    (@error $name:ident $field:ident $says:literal) => {
        compile_error! { concat!("`", stringify!($field), "` of `", stringify!($name), "`: ", $says) }
    };

    // Fallback for a group that has shared parameters or does not match the first rule: this rule parses the group one
    // parameter at a time.
    (
        $(#[doc = $doc:literal])+
        $name:ident $label:literal in $category:literal $(, from $source:literal)? $(, also $also:literal)? {
            $($body:tt)*
        }
    ) => {
        $crate::params! { @each [
            $(#[doc = $doc])+
            $name $label in $category $(, from $source)? $(, also $also)?
        ] [] [$($body)*] }
    };
    ($($other:tt)*) => {
        compile_error! { "params! expects `/// A sentence.`, \
            `Name \"Label\" in \"Category\", from \"source\", also \"search words\" { parameters }`; \
            `from` and `also` are optional" }
    };
}

/// Defines a choice: an enum whose variants carry a label and a help sentence.
///
/// ```
/// talweg_ground::choices! {
///     /// Which cells count as neighbours.
///     Around { Four "4 neighbours": "North, east, south and west.", Eight "8 neighbours": "With the diagonals." }
/// }
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $doc:literal])+
        $name:ident { $( $variant:ident $label:literal : $help:literal ),+ $(,)? }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        pub enum $name {
            $( #[doc = $help] $variant, )+
        }

        impl $name {
            /// All variants of the choice, in the order in which the panel lists them.
            pub const ALL: &'static [Self] = &[ $( Self::$variant ),+ ];
            const OPTIONS: &'static [$crate::param::ChoiceOption] = &[
                $( $crate::param::ChoiceOption { name: stringify!($variant), label: $label, help: $help } ),+
            ];
            /// Name of the variant in the panel.
            pub fn label(self) -> &'static str {
                Self::OPTIONS[self as usize].label
            }
            /// The variant whose name in files is `name`, ignoring case.
            #[allow(dead_code, reason = "only some choices are named on the command line and in Python")]
            pub fn named(name: &str) -> Option<Self> {
                let at = Self::OPTIONS.iter().position(|option| option.name.eq_ignore_ascii_case(name))?;
                Some(Self::ALL[at])
            }
            /// Names of all variants in files.
            #[allow(dead_code, reason = "only some choices are named on the command line and in Python")]
            pub fn names() -> impl Iterator<Item = &'static str> {
                Self::OPTIONS.iter().map(|option| option.name)
            }
            /// Help text of the variant, in one sentence.
            #[allow(dead_code, reason = "only some choices show their help outside the panel")]
            pub fn help(self) -> &'static str {
                Self::OPTIONS[self as usize].help
            }
        }

        impl $crate::param::WithoutRange for $name {
            fn kind() -> $crate::param::ParamKind {
                $crate::param::ParamKind::Choice(Self::OPTIONS)
            }
        }

        impl $crate::param::ParamType for $name {
            fn to_value(&self) -> $crate::param::Value {
                $crate::param::Value::Choice(*self as usize)
            }
            fn from_value(
                value: &$crate::param::Value,
                spec: &$crate::param::ParamSpec,
            ) -> Result<Self, $crate::param::ParamError> {
                match value {
                    $crate::param::Value::Choice(i) if *i < Self::ALL.len() => Ok(Self::ALL[*i]),
                    _ => Err($crate::param::ParamError::Type { param: spec.name.to_string(), expected: "one of its choices" }),
                }
            }
        }
    };
}
