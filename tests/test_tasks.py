"""Sentences as inputs."""

import pytest
import torch

from linattn.tasks import embed_sentence


def test_numbers_are_fixed_for_good():
    tokens, q, k, v = embed_sentence("the cat sat on the mat")
    assert tokens == ["the", "cat", "sat", "on", "the", "mat"]
    torch.testing.assert_close(q[0], torch.tensor([-0.7, -0.7, -0.4, -1.2]))
    torch.testing.assert_close(k[5], torch.tensor([1.1, 1.1, 0.4, 1.0]))
    torch.testing.assert_close(v[1], torch.tensor([-0.8, 0.6, 1.1, 0.5]))


def test_equal_words_have_equal_values_and_similar_keys():
    _, q, k, v = embed_sentence("the cat the")
    assert torch.equal(v[0], v[2])
    for x in (q, k):
        assert not torch.equal(x[0], x[2])
        assert (x[0] - x[2]).abs().max() <= 0.6001


def test_all_entries_are_whole_tenths_in_range():
    _, q, k, v = embed_sentence(" ".join(map(str, range(200))), 8, 8)
    for x, limit in ((q, 1.9), (k, 1.9), (v, 1.5)):
        torch.testing.assert_close(x * 10, (x * 10).round(), rtol=0, atol=1e-5)
        assert x.abs().max() <= limit + 1e-6
        assert abs(x.mean().item()) < 0.1


def test_first_entries_do_not_depend_on_the_sizes_and_the_seed_changes_them():
    small, large, other = embed_sentence("a b", 2, 1), embed_sentence("a b", 5, 3), embed_sentence("a b", 2, 1, seed=1)
    for x, y, z in zip(small[1:], large[1:], other[1:], strict=True):
        assert torch.equal(x, y[:, : x.shape[1]])
        assert not torch.equal(x, z)


def test_an_empty_sentence_has_no_tokens_but_its_sizes():
    tokens, q, k, v = embed_sentence("  ", 3, 2)
    assert tokens == [] and q.shape == k.shape == (0, 3) and v.shape == (0, 2)


@pytest.mark.parametrize("sizes", [(0, 4), (4, 0)])
def test_sizes_below_one_are_refused(sizes):
    with pytest.raises(ValueError, match="at least 1"):
        embed_sentence("a", *sizes)
