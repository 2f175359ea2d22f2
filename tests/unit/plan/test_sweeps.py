"""Operating points of one anonymiser: their names, their options, and what cannot be swept."""

import pytest
from support.plans import problems, voices

from voiceprivacy.plan import configuration

MCADAMS = "python {scripts}/anonymise_mcadams.py --level corpus"


def config(**anonymisers):
    return {"corpora": {"demo": voices(20, 4)}, "anonymisers": anonymisers}


def swept(command=MCADAMS, values=(0.6, 0.8), option="alpha", **more):
    return {"command": command, "sweep": {option: list(values)}, **more}


def anonymisers_of(**anonymisers):
    return configuration.check(config(**anonymisers))["anonymisers"]


def test_each_value_makes_an_anonymiser_with_a_flag_or_in_a_placeholder():
    made = anonymisers_of(first={"command": MCADAMS}, b2=swept(), last={"command": MCADAMS})
    assert list(made) == ["first", "b2_alpha_0_6", "b2_alpha_0_8", "last"]
    assert made["b2_alpha_0_6"]["options"] == {"alpha": 0.6}
    assert made["b2_alpha_0_6"]["command"] == MCADAMS
    assert made["b2_alpha_0_8"]["swept"] == {"of": "b2", "option": "alpha", "value": 0.8}
    assert "sweep" not in made["b2_alpha_0_6"] and "swept" not in made["first"]
    made = anonymisers_of(b2=swept(f"{MCADAMS} --alpha {{alpha}} --seed 1"))
    assert made["b2_alpha_0_6"]["command"] == f"{MCADAMS} --alpha 0.6 --seed 1"
    assert made["b2_alpha_0_6"]["options"] == {}
    made = anonymisers_of(x=swept("python x.py --mode {mode}", ("a b", "c"), "mode"))
    assert made["x_mode_a_b"]["command"] == "python x.py --mode 'a b'"
    names = {1e-5: "x_v_0_00001", -3: "x_v_minus_3", True: "x_v_true", "Soft/2": "x_v_soft_2"}
    assert {*names.values()} <= anonymisers_of(x=swept("python x.py", names, "v")).keys()


def test_other_options_stay_and_draws_are_of_each_point(tmp_path):
    (tmp_path / "f.py").touch()
    plain = {"function": f"{tmp_path}/f.py:anonymise", "options": {"depth": 2}, "draws": 2}
    made = anonymisers_of(f=plain | {"sweep": {"strength": [1, 2]}})
    assert list(made)[:2] == ["f_strength_1", "f_strength_2"]
    assert set(made) == {f"f_strength_{at}{draw}" for at in (1, 2) for draw in ("", "_draw2")}
    assert made["f_strength_2"]["options"] == {"depth": 2, "strength": 2}


def test_attackers_that_learn_from_it_learn_from_all_its_points():
    content = config(b2=swept())
    content["corpora"]["train"] = voices(20, 4, first=20, use="train")
    train = {"corpus": "train", "speech": "anonymised", "anonymisers": ["b2"]}
    mixed = {"corpus": "train", "speech": ["original", "b2"]}
    of_both = {"semi": train, "mix": mixed}
    content["backends"] = {name: {"type": "plda", "train": one} for name, one in of_both.items()}
    content["extractors"] = {"small": {"model": "{resources}/ecapa_small"}}
    checked = configuration.check(content)
    points = ["b2_alpha_0_6", "b2_alpha_0_8"]
    assert checked["backends"]["semi"]["train"]["anonymisers"] == points
    assert checked["backends"]["mix"]["train"]["speech"] == ["original", *points]
    assert content["backends"]["semi"]["train"]["anonymisers"] == ["b2"]


@pytest.mark.parametrize(
    "entries, words",
    [
        ({"x": {"audio": "folder", "sweep": {"a": [1, 2]}}}, "is not allowed"),
        ({"x": swept("c", ("A", "a"), "m")}, "two values make the name 'x_m_a'"),
        ({"x": swept(), "x_alpha_0_6": {"command": "c"}}, "makes 'x_alpha_0_6'"),
        ({"x": swept("c", (1, 2), "on")}, "'x_on_1', which is reserved"),
        ({"x": swept("c", (1, 2), "without")}, "'x_without_1', which is reserved"),
        ({"x": swept(options={"alpha": 1})}, "'alpha' is in its options"),
        ({"x": swept(values=(0.6,))}, "[0.6] is too short"),
    ],
)
def test_what_cannot_be_swept_is_named_at_its_place(entries, words):
    first = problems(config(**entries))[0]
    assert first.startswith("anonymisers.x.sweep") and words in first
