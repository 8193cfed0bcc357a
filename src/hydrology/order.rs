//! The order of the cells along the water, and what gathers on the way.
//!
//! Scheme: from every cell without donors walk down, and on as long as the last donor of the next cell has just been
//! passed. Each cell comes after all that drain to it, once, in O(n), and neighbours on the same course stand
//! side by side in the list: loops along it are kind to the cache. Read backwards it is the order for
//! what depends on the receiver (Braun & Willett 2013 use another such list, their stack).

use crate::field::{Cancelled, Control};

/// Cells done between two looks at the stop flag.
const CHECK: usize = 1 << 16;

/// Every cell, each after all that drain to it. `receiver` leads to cells that are their own, without circles.
pub fn upstream_order(receiver: &[u32], control: &Control) -> Result<Vec<u32>, Cancelled> {
    let mut donors = vec![0u8; receiver.len()];
    for (block, receivers) in receiver.chunks(CHECK).enumerate() {
        control.check()?;
        for (k, &to) in receivers.iter().enumerate() {
            donors[to as usize] += u8::from(to as usize != block * CHECK + k);
        }
    }
    let mut order = Vec::with_capacity(receiver.len());
    for start in 0..receiver.len() {
        if start % CHECK == 0 {
            control.check()?;
        }
        // a cell that a walk has passed is marked
        if donors[start] != 0 {
            continue;
        }
        let mut at = start;
        loop {
            donors[at] = PASSED;
            order.push(at as u32);
            let to = receiver[at] as usize;
            if to == at {
                break;
            }
            donors[to] -= 1;
            if donors[to] != 0 {
                break;
            }
            at = to;
        }
    }
    Ok(order)
}

const PASSED: u8 = u8::MAX;

/// Adds to every cell what its donors hold: with 1 in each cell the result counts the cells that drain through it,
/// itself included. Whole numbers up to 2²⁴ are exact.
pub fn accumulate(receiver: &[u32], upstream_order: &[u32], held: &mut [f32]) {
    for &k in upstream_order {
        let to = receiver[k as usize];
        if to != k {
            held[to as usize] += held[k as usize];
        }
    }
}
