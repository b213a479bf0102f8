//! Plans in clusters whose weights rise and fall.

use keystead::{Constraints, Diff};

use super::*;

/// That every stage keeps the limit in expectation, no key of many moves twice, and the end is `after`. Gives the stages' weights.
fn check(before: &Cluster, after: &Cluster, limits: &str, share: f64) -> Vec<Vec<(String, u32)>> {
    let plan = Plan::by_weights(before, after, &limits.parse().unwrap()).unwrap();
    let summary = plan.summary();
    assert_eq!((summary.by, summary.figures), ("weights", "expected"));
    assert_eq!(plan.publish().last().or(plan.last()), Some(&after.into()));
    assert!(summary.checks.sum_is_difference && summary.checks.moved_twice == 0);
    let mut stages = vec![Description::from(before)];
    stages.extend(plan.publish().iter().cloned());
    for (pair, step) in stages.windows(2).zip(&summary.steps) {
        let moved = Diff::new(&pair[0], &pair[1], 1, &Constraints::new()).unwrap().summary().unwrap().expected.moved;
        assert!((step.moved.share - moved).abs() < 1e-12 && moved <= share + 1e-12 && moved > 0.0);
        assert!(step.part.is_none() && step.passed.is_none() && step.moved.keys.is_none());
    }
    for key in 0..20_000 {
        let owners: Vec<&str> = stages.iter().map(|stage| stage.owner(key).id()).collect();
        let moves = owners.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(moves, usize::from(owners.first() != owners.last()), "key {key}: {owners:?}");
    }
    let weights =
        |step: &keystead::PlanStep| step.weights.iter().flatten().map(|node| (node.id.clone(), node.weight)).collect();
    summary.steps.iter().map(weights).collect()
}

fn ten() -> Cluster {
    Cluster::rendezvous((0..10).map(|i| format!("n{i}"))).unwrap()
}

#[test]
fn new_nodes_rise_together_in_their_final_ratios() {
    let after = ten().change(&Change::new().add(node("x", 2)).add(node("y", 4))).unwrap();
    let stages = check(&ten(), &after, "5%", 0.05);
    assert_eq!(stages.len(), 8, "37.5 % in steps of 5 %");
    for stage in &stages {
        let weight = |id: &str| stage.iter().find(|(other, _)| other == id).unwrap().1;
        assert_eq!(2 * weight("x"), weight("y"));
        assert!((1..10).all(|i| weight(&format!("n{i}")) == weight("n0")));
    }
}

#[test]
fn rising_comes_before_falling() {
    let before = Cluster::rendezvous([node("a", 4), node("b", 4), node("c", 4), node("d", 1), node("e", 0)]).unwrap();
    let change = Change::new().remove("a").weight("b", 2).weight("d", 2).weight("e", 3).add(node("f", 1));
    let after = before.change(&change).unwrap();
    let stages = check(&before, &after, "16%", 0.16);
    let ratio = |stage: &Vec<(String, u32)>, id: &str| {
        let weight =
            |id: &str| stage.iter().find(|(other, _)| other == id).map_or(0.0, |(_, weight)| f64::from(*weight));
        weight(id) / weight("c")
    };
    let falls = stages.iter().position(|stage| ratio(stage, "a") < 1.0).unwrap();
    assert!(falls > 0 && falls < stages.len() - 1);
    for (at, stage) in stages.iter().enumerate() {
        assert_eq!(at < falls, ratio(stage, "b") >= 1.0);
        if at >= falls - 1 {
            assert!((ratio(stage, "f") - 0.25).abs() < 1e-12 && (ratio(stage, "e") - 0.75).abs() < 1e-12);
        }
    }
}

#[test]
fn scaled_weights_rise_from_their_own_scale() {
    // Twice the weights, and a node more: nothing but that node rises.
    let before = Cluster::rendezvous([node("a", 1), node("b", 2)]).unwrap();
    let after = Cluster::rendezvous([node("a", 2), node("b", 4), node("c", 6)]).unwrap();
    let stages = check(&before, &after, "11%", 0.11);
    assert_eq!(stages.len(), 5);
    // A step that keeps the limit at once is the only one.
    assert_eq!(check(&before, &after, "50%", 0.5).len(), 1);
    // What moves nothing takes no step, but is to be published.
    let doubled = Cluster::rendezvous([node("a", 2), node("b", 4)]).unwrap();
    assert!(check(&before, &doubled, "1%", 0.01).is_empty());
}

#[test]
fn slots_and_one_node_of_a_ring_take_steps_too() {
    let slots = Cluster::builder().algorithm("slots-1").slots(2000).nodes(["a", "b", "c"]).build().unwrap();
    check(&slots, &slots.change(&Change::new().add("d").add("e")).unwrap(), "9%", 0.09);
    check(&slots, &slots.without_node("b").unwrap(), "9%", 0.09);
    let ring = |weight| {
        let nodes = [node("a", 20), node("b", 20), node("c", weight)];
        Cluster::builder().algorithm("ring-1").tokens_per_weight(10).nodes(nodes).build().unwrap()
    };
    assert!(check(&ring(5), &ring(30), "10%", 0.1).len() > 3);
    assert!(check(&ring(30), &ring(5), "10%", 0.1).len() > 3);
    assert!(check(&ring(30), &ring(5).without_node("c").unwrap(), "10%", 0.1).len() > 3);
    assert!(check(&ring(5).without_node("c").unwrap(), &ring(30), "10%", 0.1).len() > 3);
}

#[test]
fn rejects_ways_on_which_keys_could_move_twice_and_says_how_many_would() {
    let refused = |before: &Cluster, after: &Cluster| {
        let error = Plan::by_weights(before, after, &"3%".parse().unwrap()).unwrap_err();
        assert_eq!(error.code(), "unsupported");
        assert!(error.to_string().contains("share of keys"), "{error}");
        error.to_string()
    };
    let twice = |message: &str| message.split(' ').next().unwrap().parse::<u64>().unwrap();
    let ring = Cluster::builder().algorithm("ring-1").nodes((0..10).map(|i| format!("n{i}"))).build().unwrap();
    let message = refused(&ring, &ring.change(&Change::new().add("x").add("y")).unwrap());
    assert!(twice(&message) > 200 && message.contains("of 65536 would move twice"), "{message}");

    let hierarchy = |weight| {
        let nodes = (0..9).map(|i| zoned(i, if i == 4 { weight } else { 4 }));
        Cluster::builder().algorithm("hierarchy-1").nodes(nodes).build().unwrap()
    };
    refused(&hierarchy(1), &hierarchy(20));
    // No key is followed where weights have no room.
    let heavy = |weights: [u32; 3]| {
        let nodes = (0..).zip(weights).map(|(i, weight)| zoned(3 * i, weight));
        Cluster::builder().algorithm("hierarchy-1").nodes(nodes).build().unwrap()
    };
    let message = refused(&heavy([u32::MAX, 1, 1]), &heavy([2, 1, 0]));
    assert!(message.contains("2^31"), "{message}");
    let weighed = (1..8).map(|i| node(&format!("n{i}"), i));
    let headroom = Cluster::builder().algorithm("slots-1").headroom(2).nodes(weighed).build().unwrap();
    let message = refused(&headroom, &headroom.change(&Change::new().add("x").add("y").remove("n5")).unwrap());
    assert!(twice(&message) > 0, "{message}");

    let reseeded = Cluster::builder().seed(1).nodes(ten().nodes()).build().unwrap();
    refused(&ten(), &reseeded);
    let tokens = |token| {
        let nodes = [("a", 5_u64), ("b", 1 << 63), ("c", token)]
            .map(|(id, token)| Node::new(id).unwrap().tokens([token]).unwrap());
        Cluster::builder().algorithm("ring-1").nodes(nodes).build().unwrap()
    };
    refused(&tokens(1 << 62), &tokens(3 << 62));
    // No room to cut a weight, and a first step that cannot be small.
    let heavy = Cluster::rendezvous([node("a", u32::MAX), node("b", 1)]).unwrap();
    refused(&heavy, &heavy.with_node(node("c", u32::MAX)).unwrap());
    let skewed = Cluster::rendezvous([node("a", 10), node("b", 10), node("c", 1000)]).unwrap();
    refused(&skewed, &skewed.change(&Change::new().weight("a", 1000).weight("b", 20)).unwrap());
    for limit in ["80MB", "3keys/node"] {
        let after = ten().with_node("x").unwrap();
        let error = Plan::by_weights(&ten(), &after, &limit.parse().unwrap()).unwrap_err();
        assert_eq!(error.code(), "invalid_parameter");
    }
}

#[test]
fn raising_one_after_the_other_wastes_what_raising_together_does_not() {
    let moved = |before: &Cluster, after: &Cluster| {
        let diff = Diff::new(&before.into(), &after.into(), 1, &Constraints::new()).unwrap();
        diff.summary().unwrap().expected.moved
    };
    let one = ten().with_node("x").unwrap();
    let both = one.with_node("y").unwrap();
    let apart = moved(&ten(), &one) + moved(&one, &both);
    assert!((apart / moved(&ten(), &both) - 1.0455).abs() < 1e-4);
    let plan = Plan::by_weights(&ten(), &both, &"2%".parse().unwrap()).unwrap();
    let together: f64 = plan.summary().steps.iter().map(|step| step.moved.share).sum();
    assert!((together - moved(&ten(), &both)).abs() < 1e-12);
}
