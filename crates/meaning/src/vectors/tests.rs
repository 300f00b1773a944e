//! Properties of files of vectors.
