//! Plans: the smallest number of steps that keep their limits, counted by asking what each step answers.

#![cfg(feature = "alloc")]

mod by_weights;
#[cfg(feature = "json")]
mod json;
mod limits;

use std::collections::BTreeMap;

use keystead::{
    Change, Cluster, ClusterBuilder, Count, Description, Gate, Limit, Limits, Node, Plan, Planner, Transition, draw,
};

fn node(id: &str, weight: u32) -> Node {
    Node::new(id).unwrap().weight(weight)
}

fn zoned(i: u64, weight: u32) -> Node {
    node(&format!("n{i:02}"), weight).location([format!("z{}", i % 3)]).unwrap()
}

fn algorithms() -> [(&'static str, ClusterBuilder); 5] {
    let builder = |name: &str| Cluster::builder().algorithm(name);
    [
        ("rendezvous", builder("rendezvous-1")),
        ("ring", builder("ring-1").tokens_per_weight(16)),
        ("slots", builder("slots-1").slots(400)),
        ("hierarchy", builder("hierarchy-1")),
        ("slots with headroom", builder("slots-1").slots(400).headroom(3)),
    ]
}

fn random_change(builder: &ClusterBuilder, seed: u64) -> (Cluster, Cluster) {
    let side = |side: u64| {
        let nodes = (0..9).filter(|i| *i == 0 || !draw(seed, side + i).is_multiple_of(3));
        let weight = |i| u32::try_from(draw(seed, side + 50 + i) % 4).unwrap() + u32::from(i == 0);
        builder.clone().nodes(nodes.map(|i| zoned(i, weight(i)))).build().unwrap()
    };
    (side(100), side(300))
}

/// Keys with sizes from 1 to 100.
fn keys(count: u64, seed: u64) -> Vec<(String, u64)> {
    (0..count).map(|i| (format!("key-{i}"), 1 + draw(seed, i) % 100)).collect()
}

fn planned(before: &Description, after: &Description, limits: &Limits, keys: &[(String, u64)]) -> Plan {
    let mut planner = Planner::new(before, after, limits.clone()).unwrap();
    for (key, size) in keys {
        planner.add(key, *size).unwrap();
    }
    planner.plan().unwrap()
}

fn count(keys: u64, bytes: u64) -> Count {
    Count { keys, bytes: bytes.into() }
}

fn owner(description: &Description, key: &str) -> String {
    description.owner(key).id().to_owned()
}

/// Every figure of a plan against what its files answer, and every promise.
fn check(plan: &Plan, before: &Description, after: &Description, keys: &[(String, u64)]) {
    let summary = plan.summary();
    let mut stages = vec![before];
    stages.extend(plan.publish());
    stages.extend(plan.last());
    assert_eq!(stages.last(), Some(&after));
    assert_eq!(summary.steps.len(), plan.publish().len());

    let mut totals = vec![Count::default(); stages.len() - 1];
    let mut nodes: Vec<BTreeMap<(String, bool), Count>> = vec![BTreeMap::new(); stages.len() - 1];
    for (key, size) in keys {
        let owners: Vec<String> = stages.iter().map(|stage| owner(stage, key)).collect();
        let mut moves = 0;
        for (at, pair) in owners.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]) {
            moves += 1;
            totals[at] += count(1, *size);
            *nodes[at].entry((pair[0].clone(), false)).or_default() += count(1, *size);
            *nodes[at].entry((pair[1].clone(), true)).or_default() += count(1, *size);
        }
        assert_eq!(moves, usize::from(owners.first() != owners.last()), "{key} moves more than once");
    }
    if plan.last().is_some() {
        assert_eq!(totals.pop(), Some(Count::default()), "the last file moves nothing");
    }
    for ((step, total), nodes) in summary.steps.iter().zip(&totals).zip(&nodes) {
        assert_eq!((step.moved.keys, step.moved.bytes), (Some(total.keys), Some(total.bytes)));
        for node in &step.nodes {
            let of = |into: bool| nodes.get(&(node.id.clone(), into)).copied().unwrap_or_default();
            assert_eq!((node.moved_in.keys, node.moved_in.bytes), (Some(of(true).keys), Some(of(true).bytes)));
            assert_eq!((node.moved_out.keys, node.moved_out.bytes), (Some(of(false).keys), Some(of(false).bytes)));
        }
        let named: std::collections::BTreeSet<&String> = step.nodes.iter().map(|node| &node.id).collect();
        assert_eq!(named, nodes.keys().map(|(id, _)| id).collect());
    }
    let counted = summary.difference.counted.as_ref().unwrap();
    let sum = totals.iter().fold(Count::default(), |mut sum, total| {
        sum += *total;
        sum
    });
    assert_eq!(sum, counted.moved);
    assert!(summary.checks.sum_is_difference);
    assert_eq!((summary.checks.followed, summary.checks.count), ("keys", counted.moved.keys));
    assert_eq!((summary.checks.moved_twice, summary.checks.reshuffled.unwrap_or(0)), (0, 0));
}

/// Whether a step keeps limits: the step in all, and each node in and out.
fn keeps(plan: &Plan, at: usize, step: Count, node: Count) -> bool {
    let within = |amount: &keystead::PlanAmount, limit: Count| {
        amount.keys.unwrap() <= limit.keys && amount.bytes.unwrap() <= limit.bytes
    };
    let figures = &plan.summary().steps[at];
    let nodes = figures.nodes.iter().flat_map(|node| [&node.moved_in, &node.moved_out]);
    within(&figures.moved, step) && nodes.into_iter().all(|amount| within(amount, node))
}

#[test]
fn steps_keep_their_limits_and_add_up_for_every_algorithm() {
    let (most, any) = (count(u64::MAX, u64::MAX), u64::MAX);
    for (name, builder) in algorithms() {
        for seed in 0..6 {
            let (before, after) = random_change(&builder, seed);
            let (before, after) = (Description::from(before), Description::from(after));
            let keys = keys(3000, seed);
            let by_slot = name.starts_with("slots");
            for (limits, step, node) in [
                (Limits::new().step(Limit::Keys(150)), count(150, any), most),
                (Limits::new().step(Limit::Bytes(20_000)), count(any, 20_000), most),
                (Limits::new().node(Limit::Keys(60)), most, count(60, any)),
                (
                    Limits::new().step(Limit::Millionths(40_000)).node(Limit::Bytes(4_000)),
                    count(120, any),
                    count(any, 4_000),
                ),
            ] {
                let plan = planned(&before, &after, &limits, &keys);
                check(&plan, &before, &after, &keys);
                for (at, figures) in plan.summary().steps.iter().enumerate() {
                    assert!(keeps(&plan, at, step, node) || figures.oversize.is_some(), "{name} {limits}, step {at}");
                    assert_eq!(figures.oversize.is_some(), !keeps(&plan, at, step, node));
                    assert!(figures.oversize.is_none() || by_slot, "no key is above {limits}");
                }
                let above = plan.summary().steps.iter().filter(|step| step.oversize.is_some()).count();
                assert_eq!(plan.summary().checks.above_limit as usize, above);
                let guaranteed = ["rendezvous", "ring", "slots"].contains(&name);
                assert_eq!(plan.summary().checks.reshuffled, guaranteed.then_some(0));
            }
        }
    }
}

/// The order in which keys pass, found by asking gates: a resolution of 32 bits parts a few keys.
fn in_order_of_gates<'a>(keys: impl Iterator<Item = &'a (String, u64)>) -> Vec<&'a (String, u64)> {
    let gate = |key: &str| {
        let (mut low, mut high) = (0, u64::from(u32::MAX));
        while low + 1 < high {
            let middle = low.midpoint(high);
            let passes = Gate::new(middle, u32::MAX.into()).unwrap().passes(key);
            (low, high) = if passes { (low, middle) } else { (middle, high) };
        }
        high
    };
    let mut keys: Vec<_> = keys.collect();
    keys.sort_by_key(|(key, _)| gate(key));
    keys
}

#[test]
fn no_fewer_steps_would_do() {
    let mut uneven = 0;
    for seed in 0..60 {
        let (before, after) = random_change(&Cluster::builder(), seed);
        let (before, after) = (Description::from(before), Description::from(after));
        let keys = keys(60, seed);
        let bytes = 101 + draw(seed, 1) % 400;
        let plan = planned(&before, &after, &Limits::new().step(Limit::Bytes(bytes)), &keys);
        check(&plan, &before, &after, &keys);
        // The smallest number of stretches that fit, over every way to divide the line.
        let moved = keys.iter().filter(|(key, _)| owner(&before, key) != owner(&after, key));
        let sizes: Vec<u64> = in_order_of_gates(moved).into_iter().map(|(_, size)| *size).collect();
        let mut least = vec![0];
        for end in 1..=sizes.len() {
            let fitting = (0..end).filter(|start| sizes[*start..end].iter().sum::<u64>() <= bytes);
            least.push(1 + fitting.map(|start| least[start]).min().unwrap());
        }
        assert_eq!(plan.summary().steps.len(), least[sizes.len()], "seed {seed}");
        uneven += u32::from(!plan.summary().even);
    }
    assert!(uneven > 5, "{uneven}");
}

#[test]
fn equal_fractions_are_taken_where_they_keep_the_limit() {
    let before = Cluster::rendezvous((0..10).map(|i| format!("cache-{i}"))).unwrap();
    let after = before.change(&Change::new().add("cache-k").add("cache-l")).unwrap();
    let (before, after) = (Description::from(before), Description::from(after));
    let keys = keys(60_000, 1);
    let moved = keys.iter().filter(|(key, _)| owner(&before, key) != owner(&after, key)).count() as u64;
    // Six steps keep this with some room, five do not.
    let plan = planned(&before, &after, &Limits::new().step(Limit::Keys(moved / 6 + 150)), &keys);
    check(&plan, &before, &after, &keys);
    let fractions: Vec<_> = plan.summary().steps.iter().map(|step| (step.part.unwrap(), step.of.unwrap())).collect();
    assert_eq!(fractions, [(1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (6, 6)]);
    assert!(plan.summary().even);
    // Without room, the ends are shifted, and the steps are as many all the same.
    let plan = planned(&before, &after, &Limits::new().step(Limit::Keys(moved.div_ceil(6))), &keys);
    check(&plan, &before, &after, &keys);
    assert_eq!((plan.summary().steps.len(), plan.summary().even), (6, false));
    assert_eq!(plan.last(), Some(&after));
}

#[test]
fn a_key_above_the_limit_is_named_and_alone_in_its_step() {
    let before = Cluster::rendezvous(["a", "b", "c"]).unwrap();
    let after = before.with_node("d").unwrap();
    let (before, after) = (Description::from(before), Description::from(after));
    let mut keys = keys(2000, 3);
    let moving: Vec<usize> = (0..2000).filter(|i| owner(&before, &keys[*i].0) != owner(&after, &keys[*i].0)).collect();
    let staying = (0..2000).find(|i| !moving.contains(i)).unwrap();
    for i in [moving[0], moving[200], staying] {
        keys[i].1 = 1_000_000;
    }
    let plan = planned(&before, &after, &"5kB".parse().unwrap(), &keys);
    check(&plan, &before, &after, &keys);
    let oversize: Vec<_> =
        plan.summary().steps.iter().filter_map(|step| step.oversize.as_ref().map(|it| (step, it))).collect();
    assert_eq!((oversize.len(), plan.summary().checks.above_limit), (2, 2));
    let mut named: Vec<&str> =
        oversize.iter().map(|(_, it)| it.key.as_ref().unwrap().text.as_deref().unwrap()).collect();
    named.sort_unstable();
    let mut expected = [&*keys[moving[0]].0, &*keys[moving[200]].0];
    expected.sort_unstable();
    assert_eq!(named, expected);
    for (step, it) in oversize {
        assert_eq!((it.keys, it.bytes, it.slot), (1, 1_000_000, None));
        assert_eq!((step.moved.keys, step.moved.bytes), (Some(1), Some(1_000_000)));
    }
    // A node's limit counts like the step's.
    let plan = planned(&before, &after, &"5kB/node".parse().unwrap(), &keys);
    assert_eq!(plan.summary().checks.above_limit, 2);
}

#[test]
fn a_key_given_many_times_passes_at_once() {
    let before = Cluster::rendezvous(["a", "b"]).unwrap();
    let after = before.with_node("c").unwrap();
    let moving = (0..1000).map(|i| i.to_string()).find(|key| after.owner(key).id() == "c").unwrap();
    let (before, after) = (Description::from(before), Description::from(after));
    let mut keys = keys(500, 1);
    keys.extend(std::iter::repeat_n((moving, 10), 50));
    let plan = planned(&before, &after, &"20keys".parse().unwrap(), &keys);
    check(&plan, &before, &after, &keys);
    let above: Vec<_> = plan.summary().steps.iter().filter_map(|step| step.oversize.as_ref()).collect();
    assert_eq!(above.len(), 1);
    assert_eq!((above[0].keys, above[0].bytes, above[0].slot), (50, 500, None));
    assert_eq!(above[0].key.as_ref().unwrap().text.as_ref(), Some(&keys.last().unwrap().0));
}

#[test]
fn whole_slots_pass_and_one_above_the_limit_is_named() {
    let before = Cluster::builder().algorithm("slots-1").slots(8).nodes(["a", "b"]).build().unwrap();
    let after = before.change(&Change::new().add("c").add("d")).unwrap();
    let (before, after) = (Description::from(before), Description::from(after));
    let keys = keys(800, 1);
    let plan = planned(&before, &after, &"10keys".parse().unwrap(), &keys);
    check(&plan, &before, &after, &keys);
    for step in &plan.summary().steps {
        let above = step.oversize.as_ref().unwrap();
        let slot = above.slot.unwrap();
        let of_slot = keys.iter().filter(|(key, _)| before.answering(key).slot(key).unwrap() == slot).count() as u64;
        assert_eq!((above.keys, step.moved.keys), (of_slot, Some(of_slot)));
        assert_eq!(above.key, None);
    }

    // Without keys, slots are counted.
    let plan = planned(&before, &after, &"13%".parse().unwrap(), &[]);
    let summary = plan.summary();
    assert_eq!((summary.figures, summary.checks.followed), ("slots", "slots"));
    assert_eq!(summary.steps.len(), summary.difference.slots.as_ref().unwrap().len());
    assert!(summary.steps.iter().all(|step| (step.moved.share - 0.125).abs() < 1e-15 && step.moved.keys.is_none()));
    assert_eq!(summary.checks.reshuffled, Some(0));
    let error = Planner::new(&before, &after, "12%".parse().unwrap()).unwrap().plan().unwrap_err();
    assert!(
        error.code() == "invalid_parameter" && error.to_string().contains("of 8 slots is less than one"),
        "{error}"
    );
}

#[test]
fn without_keys_the_limit_is_kept_in_expectation() {
    for (name, builder) in algorithms() {
        let (before, after) = random_change(&builder, 11);
        let (before, after) = (Description::from(before), Description::from(after));
        let plan = planned(&before, &after, &"7%,5%/node".parse().unwrap(), &[]);
        let summary = plan.summary();
        let moved = summary.difference.expected.moved;
        let sum: f64 = summary.steps.iter().map(|step| step.moved.share).sum();
        assert!((sum - moved).abs() < 1e-12 && moved > 0.2, "{name}");
        for step in &summary.steps {
            assert!(step.moved.share <= 0.07 + 1e-12, "{name}");
            let nodes = step.nodes.iter().flat_map(|node| [node.moved_in.share, node.moved_out.share]);
            assert!(nodes.into_iter().all(|share| share <= 0.05 + 1e-12));
        }
        assert!(summary.checks.sum_is_difference && summary.checks.moved_twice == 0);
        let slots = name.starts_with("slots");
        assert_eq!(summary.checks.followed, if slots { "slots" } else { "sample" });
        if !slots {
            // Not one step more than it takes.
            let n = u32::try_from(summary.steps.len()).unwrap();
            let most = summary
                .difference
                .expected
                .nodes
                .iter()
                .map(|node| node.moved_in.max(node.moved_out))
                .fold(0.0, f64::max);
            assert!(moved / f64::from(n - 1) > 0.07 || most / f64::from(n - 1) > 0.05, "{name}");
            assert_eq!(summary.steps[0].of, Some(n));
        }
    }
}

#[test]
fn replanning_after_the_last_step_is_empty() {
    for (_, builder) in algorithms() {
        let (before, after) = random_change(&builder, 1);
        let after_description = Description::from(&after);
        let keys = keys(2000, 1);
        let plan = planned(&before.into(), &after_description, &"200keys".parse().unwrap(), &keys);
        let last_step = plan.publish().last().unwrap();
        for (start, keys) in
            [(last_step, &keys[..]), (last_step, &[]), (&after_description, &keys), (&after_description, &[])]
        {
            let limits: Limits = if keys.is_empty() { "1%".parse() } else { "3keys".parse() }.unwrap();
            let again = planned(start, &after_description, &limits, keys);
            assert!(again.summary().steps.is_empty() && again.publish().is_empty());
            assert!(again.summary().difference.identical && again.summary().checks.sum_is_difference);
            assert_eq!(again.last(), Some(&after_description));
        }
    }
}

#[test]
fn a_plan_goes_on_from_a_step_or_leads_back() {
    for (name, builder) in algorithms() {
        let (before, after) = random_change(&builder, 2);
        let step = |part, of| Description::from(Transition::new(&before, &after, part, of).unwrap());
        let (old, new) = (Description::from(&before), Description::from(&after));
        let keys = keys(3000, 2);
        for (from, to) in [
            (step(2, 6), new.clone()),
            (step(4, 6), old.clone()),
            (step(1, 6), step(2, 3)),
            (step(2, 3), step(1, 6)),
            (old.clone(), step(1, 2)),
            (new.clone(), step(1, 2)),
        ] {
            let plan = planned(&from, &to, &"100keys".parse().unwrap(), &keys);
            check(&plan, &from, &to, &keys);
            assert!(plan.summary().steps.len() > 1, "{name}");
            assert_eq!(plan.last().is_none(), matches!(to, Description::Transition(_)));
            let expected = planned(&from, &to, &"3%".parse().unwrap(), &[]);
            assert!(expected.summary().checks.sum_is_difference && expected.summary().steps.len() > 1);
            let guaranteed = ["rendezvous", "ring", "slots"].contains(&name);
            assert_eq!(expected.summary().checks.reshuffled, guaranteed.then_some(0), "{name}");
        }
    }
    // Going on keeps the denominator of the plan it continues.
    let (before, after) = random_change(&Cluster::builder(), 2);
    let step = Transition::new(&before, &after, 2, 6).unwrap();
    let mut planner = Planner::new(&(&step).into(), &(&after).into(), "100%".parse().unwrap()).unwrap();
    planner.add("key", 1).unwrap();
    let other = before.with_node("zz").unwrap();
    let error = Planner::new(&(&step).into(), &other.into(), "3%".parse().unwrap()).unwrap_err();
    assert_eq!(error.code(), "unsupported");
}

#[test]
fn empty_and_tiny_ways() {
    let a = Description::from(Cluster::rendezvous(["a"]).unwrap());
    let b = Description::from(Cluster::rendezvous(["b"]).unwrap());
    let one = [("only".to_owned(), 5)];
    let plan = planned(&a, &b, &"1key".parse().unwrap(), &one);
    check(&plan, &a, &b, &one);
    let steps: Vec<_> = plan.summary().steps.iter().map(|step| (step.part, step.of)).collect();
    assert_eq!(steps, [(Some(1), Some(1))]);
    // All keys are there and none moves: nothing to do but to publish what comes after.
    let before = Cluster::rendezvous(["a", "b"]).unwrap();
    let after = before.with_node("c").unwrap();
    let staying = (0..100).map(|i| i.to_string()).find(|key| after.owner(key).id() != "c").unwrap();
    let plan = planned(&before.into(), &(&after).into(), &"1key".parse().unwrap(), &[(staying, 1)]);
    assert!(plan.publish().is_empty() && plan.last() == Some(&after.into()));
}

#[test]
fn a_key_that_is_above_the_limit_by_repetition_is_named() {
    let before = Description::from(Cluster::rendezvous(["x"]).unwrap());
    let after = Description::from(Cluster::rendezvous(["y"]).unwrap());
    // The hot key comes first, in the middle or last, alone or between many others.
    for (others, at) in [(0, 0), (30_000, 0), (30_000, 15_000), (30_000, 29_999)] {
        let mut keys = keys(others, 9);
        let size = 60;
        for (_, size) in &mut keys {
            *size %= 10;
        }
        for place in [at, at / 2, at / 3] {
            keys.insert(usize::try_from(place).unwrap(), ("hot".to_owned(), size));
        }
        for (limit, above) in [("150B", 1), ("2keys", 1), ("180B", 0), ("3keys", 0), ("10%", usize::from(others == 0))]
        {
            let limits: Limits = limit.parse().unwrap();
            // So many others would take too many steps, or leave no share to be above.
            if others > 0 && limit.ends_with("keys") || others == 0 && limit == "10%" {
                continue;
            }
            let plan = planned(&before, &after, &limits, &keys);
            let found: Vec<_> = plan.summary().steps.iter().filter_map(|step| step.oversize.as_ref()).collect();
            assert_eq!(found.len(), above, "{limit} {others} {at}");
            for oversize in found {
                assert_eq!((oversize.keys, oversize.bytes), (3, 180));
                assert_eq!(oversize.key.as_ref().unwrap().text.as_deref(), Some("hot"));
            }
        }
    }
    // A share of all keys is known only when all have come.
    let mut keys = keys(100, 9);
    keys.extend(std::iter::repeat_n(("hot".to_owned(), 1), 30));
    let plan = planned(&before, &after, &"10%".parse().unwrap(), &keys);
    let found: Vec<_> = plan.summary().steps.iter().filter_map(|step| step.oversize.as_ref()).collect();
    assert_eq!((found.len(), found[0].keys), (1, 30));
    assert_eq!(found[0].key.as_ref().unwrap().text.as_deref(), Some("hot"));
}

#[test]
fn sizes_of_0_are_sizes_and_no_keys_are_keys() {
    let before = Cluster::rendezvous(["a", "b"]).unwrap();
    let after = before.with_node("c").unwrap();
    let (before, after) = (Description::from(before), Description::from(after));
    let none: Vec<_> = keys(300, 1).into_iter().map(|(key, _)| (key, 0)).collect();
    let plan = planned(&before, &after, &"10B".parse().unwrap(), &none);
    assert_eq!((plan.summary().steps.len(), plan.summary().steps[0].moved.bytes), (1, Some(0)));
    for limit in ["10B", "10keys", "5%", "1%/node"] {
        let planner = Planner::new(&before, &after, limit.parse().unwrap()).unwrap().with_keys(true);
        let plan = planner.plan().unwrap();
        let summary = plan.summary();
        assert_eq!((summary.figures, summary.steps.len(), plan.last()), ("counted", 0, Some(&after)));
        assert_eq!(summary.difference.counted.as_ref().unwrap().total, count(0, 0));
    }
}

#[test]
fn fractions_that_have_no_equal_steps_are_rounded_and_keep_the_limit() {
    let before = Cluster::rendezvous(["a", "b", "c", "d"]).unwrap();
    let after = before.with_node("e").unwrap();
    let side = |part: u64, of: u64| match part {
        0 => Description::from(&before),
        _ if part == of => Description::from(&after),
        _ => Transition::new(&before, &after, part, of).unwrap().into(),
    };
    let most = u64::from(u32::MAX);
    for (start, end) in [
        ((1, most), (1, 1)),
        ((1, 65537), (65535, 65536)),
        ((most - 1, most), (0, 1)),
        ((3, most - 1), (most - 2, most)),
    ] {
        let (before, after) = (side(start.0, start.1), side(end.0, end.1));
        for limit in ["8%", "0.5%", "3%/node"] {
            let limits: Limits = limit.parse().unwrap();
            let plan = planned(&before, &after, &limits, &[]);
            let summary = plan.summary();
            let bound: f64 = limit.trim_end_matches("/node").trim_end_matches('%').parse().unwrap();
            assert!(summary.steps.iter().all(|step| step.moved.share <= bound / 100.0 * (1.0 + 1e-9)), "{limit}");
            let sum: f64 = summary.steps.iter().map(|step| step.moved.share).sum();
            assert!((sum - summary.difference.expected.moved).abs() < 1e-12);
            assert!((sum / bound * 100.0).ceil() + 1.0 >= f64::from(u32::try_from(summary.steps.len()).unwrap()));
            assert!(!summary.even && summary.checks.moved_twice == 0 && summary.checks.sum_is_difference);
            match &after {
                Description::Cluster(_) => assert_eq!(plan.last(), Some(&after)),
                Description::Transition(_) => assert_eq!(plan.publish().last(), Some(&after)),
            }
        }
    }
}

#[test]
fn rejects_limits_that_cannot_be_kept_or_understood_here() {
    let before = Cluster::rendezvous(["a", "b"]).unwrap();
    let after = before.with_node("c").unwrap();
    let (before, after) = (Description::from(before), Description::from(after));
    let error = |limits: &str, keys: &[(String, u64)]| {
        let mut planner = Planner::new(&before, &after, limits.parse().unwrap()).unwrap();
        if !keys.is_empty() {
            planner = planner.with_keys(false);
        }
        for (key, size) in keys {
            planner.add(key, *size).unwrap();
        }
        let error = planner.plan().unwrap_err();
        (error.code(), error.to_string())
    };
    let unsized_keys: Vec<_> = keys(100, 1).into_iter().map(|(key, _)| (key, 0)).collect();
    for (limits, keys, says) in [
        ("80MB", &[][..], "needs keys"),
        ("80keys", &[], "needs keys"),
        ("5%,80keys/node", &[], "needs keys"),
        ("80MB", &unsized_keys, "needs the sizes"),
        ("0.5%", &unsized_keys, "less than one"),
        ("0.0001%", &[], "10000 steps"),
        ("1key", &keys(60_000, 1), "at most 10000"),
    ] {
        let (code, message) = error(limits, keys);
        assert_eq!(code, "invalid_parameter");
        assert!(message.contains(says), "{message}");
    }
    assert_eq!(Planner::new(&before, &after, Limits::new()).unwrap_err().code(), "invalid_parameter");
    let nothing = Limits::new().step(Limit::Keys(0));
    assert_eq!(Planner::new(&before, &after, nothing).unwrap_err().code(), "invalid_parameter");
}
