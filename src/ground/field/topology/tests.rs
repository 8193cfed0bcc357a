use super::*;
use std::collections::HashSet;

fn grids(n: usize) -> [Grid; 3] {
    [Grid::new(n, Edges::Open), Grid::new(n, Edges::Wrap), Grid::globe(n)]
}

#[test]
fn the_opposite_of_a_direction_leads_back() {
    for (direction, (down, right)) in DIRECTIONS.into_iter().enumerate() {
        assert_eq!(DIRECTIONS[(direction + 4) % 8], (-down, -right));
        assert_eq!(direction % 2 == 0, down == 0 || right == 0);
    }
    assert_eq!([EAST, NORTH, WEST, SOUTH].map(|k| DIRECTIONS[k]), [(0, 1), (-1, 0), (0, -1), (1, 0)]);
}

#[test]
fn neighbours_are_mutual_owners_and_as_many_as_there_are() {
    for n in [3, 4, 9] {
        for grid in grids(n) {
            let owners: Vec<usize> = (0..grid.len()).filter(|&k| grid.owns(k)).collect();
            assert_eq!(owners.len(), grid.distinct_len());
            for &k in &owners {
                let around: HashSet<usize> = grid.neighbours(k).into_iter().flatten().collect();
                for &other in &around {
                    assert!(grid.owns(other) && grid.neighbours(other).contains(&Some(k)), "{grid:?}: {k}, {other}");
                }
                let expected: &[usize] = match (grid.is_globe(), grid.edges) {
                    (true, _) => &[6, 8],
                    (_, Edges::Open) => &[3, 5, 8],
                    (_, Edges::Wrap) => {
                        if n == 3 {
                            &[3]
                        } else {
                            &[8]
                        }
                    }
                };
                assert!(expected.contains(&around.len()), "{grid:?}: {around:?}");
                // All copies of a sample have the same set of orthogonal neighbours.
                let straight =
                    |k: usize| (0..8).step_by(2).filter_map(|step| grid.neighbour(k, step)).collect::<HashSet<usize>>();
                for copy in (0..grid.len()).filter(|&c| grid.owner(c) == k) {
                    assert_eq!(straight(copy), straight(k), "{grid:?}");
                }
            }
        }
    }
    let corners = (0..Grid::globe(5).len()).filter(|&k| Grid::globe(5).owns(k));
    assert_eq!(corners.filter(|&k| Grid::globe(5).neighbours(k).contains(&None)).count(), 8);
}

#[test]
fn an_adjacency_lists_the_neighbours() {
    for n in [2, 3, 4, 5, 6, 11] {
        for grid in grids(n) {
            let adjacency = Adjacency::new(grid);
            for k in 0..grid.len() {
                let expected = grid.neighbours(k).map(|there| there.map_or(NONE, |there| there as u32));
                let found = adjacency.neighbours(k);
                if n > 3 {
                    assert_eq!(found, expected, "{grid:?}: {k}");
                } else {
                    let distinct =
                        |list: [u32; 8]| list.into_iter().filter(|&t| t != k as u32).collect::<HashSet<u32>>();
                    assert_eq!(
                        distinct(found).difference(&HashSet::from([NONE])).count(),
                        distinct(expected).difference(&HashSet::from([NONE])).count(),
                        "{grid:?}: {k}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_window_shows_the_neighbours_of_every_row() {
    for n in [2, 3, 4, 5, 12] {
        for grid in grids(n) {
            let mut field: Vec<i64> = (0..grid.len() as i64).collect();
            grid.close(&mut field);
            for first in [0, n - 1, grid.rows() - n] {
                let mut window = StencilWindow::new(grid, EdgeFill::Value(-1), &field, first);
                for row in first..grid.rows() {
                    window.advance(&field);
                    assert_eq!(window.here(), grid.row(&field, row));
                    let around = around_row(window.rows());
                    for column in 0..n {
                        let k = row * n + column;
                        let expected = grid.neighbours(k).map(|there| there.map_or(-1, |there| there as i64));
                        assert_eq!(around.map(|cells| cells[column]), expected, "{grid:?}: {row}, {column}");
                    }
                }
            }
            // A wrapping square of 2 × 2 samples has a single distinct sample, which is its own neighbour. A globe has
            // no edge.
            if n > 2 && !grid.is_globe() {
                let mut mirror = StencilWindow::new(grid, EdgeFill::Nearest, &field, 0);
                mirror.advance(&field);
                assert_eq!(around_row(mirror.rows())[3][0] == field[0], !(grid.edges == Edges::Wrap), "{grid:?}");
            }
        }
    }
}

#[test]
fn a_margin_continues_the_face() {
    let grid = Grid::globe(7);
    let mut field: Vec<usize> = (0..grid.len()).collect();
    grid.close(&mut field);
    for face in 0..FACES {
        let wide = grid.face_with_margin(&field, face, 3, EdgeFill::Value(usize::MAX));
        assert_eq!(wide.iter().filter(|&&k| k == usize::MAX).count(), 4 * 9);
        for row in 1..12 {
            for column in 1..12 {
                let at = |row: usize, column: usize| wide[row * 13 + column];
                let (here, east, south) = (at(row, column), at(row, column + 1), at(row + 1, column));
                for there in [east, south].into_iter().filter(|&there| here != usize::MAX && there != usize::MAX) {
                    assert!(grid.neighbours(here).contains(&Some(there)), "{face}: {row}, {column}");
                }
            }
        }
    }
}

#[test]
fn closing_copies_owners() {
    for grid in [2, 3, 4, 5, 6, 17].into_iter().flat_map(grids) {
        let mut field: Vec<usize> = (0..grid.len()).collect();
        grid.close(&mut field);
        assert!((0..grid.len()).all(|k| field[k] == grid.owner(k)), "{grid:?}");
    }
}

#[test]
fn rings_close_and_pass_every_sample_of_a_face_twice() {
    let grid = Grid::globe(5);
    let mut passed = vec![0; grid.len()];
    for ring in grid.rings().iter().flatten() {
        let ends: Vec<[usize; 2]> =
            ring.iter().map(|&(first, stride)| [first, (first as isize + 4 * stride) as usize]).collect();
        for (k, end) in ends.iter().enumerate() {
            assert_eq!(grid.owner(end[1]), grid.owner(ends[(k + 1) % 4][0]));
        }
        for &(first, stride) in ring {
            (0..5).for_each(|k| passed[(first as isize + k * stride) as usize] += 1);
        }
    }
    assert!(passed.iter().all(|&count| count == 2));
}
