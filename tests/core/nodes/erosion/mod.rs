//! Erosion processes on square terrain.

mod age;
mod classic;
mod coastal;
mod creep;
mod droplets;
mod glacial;
mod snow;
mod streams;
mod thermal;
mod water;
mod wind;
