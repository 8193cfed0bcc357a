//! Heights of a mesh of anybody's, seen from above.
