//! Strahler orders of streams.

/// Strahler order of every cell: 0 where `is_channel` is false, 1 for a stream without tributaries. Where two or more
/// streams of the highest order meet, the order increases by one.
/// Source: Strahler 1957, *Quantitative analysis of watershed geomorphology*.
pub fn strahler_orders(
    receiver: &[u32],
    upstream_order: impl IntoIterator<Item = u32>,
    is_channel: impl Fn(usize) -> bool,
) -> Vec<u8> {
    let mut orders = vec![0u8; receiver.len()];
    // For each cell, `meeting` counts the streams of the highest order that have met there so far.
    let mut meeting = vec![0u8; receiver.len()];
    for k in upstream_order {
        let k = k as usize;
        if !is_channel(k) {
            continue;
        }
        let order = match (orders[k], meeting[k]) {
            (0, _) => 1,
            (highest, 1) => highest,
            (highest, _) => highest + 1,
        };
        orders[k] = order;
        let to = receiver[k] as usize;
        if to != k {
            if order > orders[to] {
                (orders[to], meeting[to]) = (order, 1);
            } else if order == orders[to] {
                meeting[to] += 1;
            }
        }
    }
    for (k, order) in orders.iter_mut().enumerate() {
        if !is_channel(k) {
            *order = 0;
        }
    }
    orders
}
