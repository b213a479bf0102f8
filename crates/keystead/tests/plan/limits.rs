//! Limits as text.

use super::*;

#[test]
fn texts_are_read_and_written() {
    let step = |limit| Limits::new().step(limit);
    for (text, limits, canonical) in [
        ("80MB", step(Limit::Bytes(80_000_000)), "80MB"),
        ("80 mb", step(Limit::Bytes(80_000_000)), "80MB"),
        ("1.5kB", step(Limit::Bytes(1_500)), "1500B"),
        ("0.5MiB", step(Limit::Bytes(524_288)), "524288B"),
        ("2KiB", step(Limit::Bytes(2_048)), "2048B"),
        ("3TB", step(Limit::Bytes(3_000_000_000_000)), "3TB"),
        ("7B", step(Limit::Bytes(7)), "7B"),
        ("18446744073709551615B", step(Limit::Bytes(u64::MAX)), "18446744073709551615B"),
        ("50000keys", step(Limit::Keys(50_000)), "50000keys"),
        ("1 key", step(Limit::Keys(1)), "1keys"),
        ("3%", step(Limit::Millionths(30_000)), "3%"),
        ("0.0001%", step(Limit::Millionths(1)), "0.0001%"),
        ("12.50 %", step(Limit::Millionths(125_000)), "12.5%"),
        ("100%", step(Limit::Millionths(1_000_000)), "100%"),
        (" 3%/step , 20MB / node ", step(Limit::Millionths(30_000)).node(Limit::Bytes(20_000_000)), "3%,20MB/node"),
    ] {
        let read: Limits = text.parse().unwrap();
        assert_eq!((&read, &*read.to_string()), (&limits, canonical), "{text}");
        assert_eq!(canonical.parse::<Limits>().unwrap(), limits);
    }
}

#[test]
fn rejects_what_is_no_limit() {
    for text in [
        "",
        "80",
        "MB",
        "80MX",
        "-3%",
        "3 %%",
        "1e3keys",
        "3.keys",
        ".5MB",
        "1.5.2MB",
        "80MB,",
        ",",
        "3%/rack",
        "3%/node/node",
        "٣keys",
        "+3%",
        "3%keys",
        "NaN%",
        "∞B",
        "80MB 3%",
    ] {
        let error = text.parse::<Limits>().unwrap_err();
        assert!(
            error.code() == "invalid_parameter" && error.to_string().contains("is not understood"),
            "{text}: {error}"
        );
    }
    for text in [
        "0keys",
        "0B",
        "0%",
        "0.00001%",
        "100.0001%",
        "1.5keys",
        "0.3B",
        "18446744073709551616B",
        "18446744073709551616keys",
        "99999999TB",
        "340282366920938463463374607431768211455%",
    ] {
        let error = text.parse::<Limits>().unwrap_err();
        assert!(
            error.code() == "invalid_parameter" && error.to_string().contains("is out of range"),
            "{text}: {error}"
        );
    }
    let long = "9".repeat(100_000) + "B";
    assert!(long.parse::<Limits>().unwrap_err().to_string().len() < 400);
}
