"""What is worked out when somebody asks for it."""

from collections.abc import Iterator

from dlfix.project.lazily import Each, Lazily


def counted(met: list[int]) -> Iterator[int]:
    for number in range(5):
        met.append(number)
        yield number


def test_items_are_gone_through_once_and_as_far_as_asked() -> None:
    met: list[int] = []
    numbers = Lazily(counted(met))
    assert 1 in numbers
    assert met == [0, 1]
    assert 0 in numbers
    assert met == [0, 1]
    assert [*numbers] == [0, 1, 2, 3, 4]
    assert 7 not in numbers
    assert [*numbers] == met == [0, 1, 2, 3, 4]


def test_two_go_through_the_same_items() -> None:
    numbers = Lazily(counted([]))
    one = iter(numbers)
    assert next(one) == 0
    assert [*numbers] == [0, 1, 2, 3, 4]
    assert [*one] == [1, 2, 3, 4]


def test_a_value_is_worked_out_when_it_is_looked_up() -> None:
    asked: list[int] = []

    def half(number: int) -> float:
        asked.append(number)
        return number / 2

    halves = Each([1, 2], half)
    assert [*halves] == ["1", "2"]
    assert asked == []
    assert {**halves} == {"1": 0.5, "2": 1.0}
    assert asked == [1, 2]
