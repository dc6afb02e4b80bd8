"""Takes neurons out of a network while it is taught, so that it is faster and smaller in use.

Those go first that the others can best make up for, by what all say of some dialogues, and the
others take their part over (optimal brain surgeon; Hassibi and Stork, 1993), whole neurons of the
wide half of each layer at a time.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from training.network import WIDTH, Batch, Network

AT_ONCE: Final = 128
"""Most neurons that go before the rest are weighed up anew."""
ROWS: Final = 4_096
"""Pieces whose products are summed in one go."""
RIDGE: Final = 1e-3
"""Part of the neurons' mean square that is added to each one's, so that none is beyond recall."""


def thin(taught: Network, batch: Batch, neurons: int) -> None:
    """Leaves `neurons` in each layer of `taught`, chosen by what they say of `batch`."""
    products: list[Tensor] = []
    layers: list[Any] = list(taught.layers)
    hooks = [layer.narrow.register_forward_pre_hook(_note(products)) for layer in layers]
    taught.eval()
    with torch.no_grad():
        taught(batch)
        for hook in hooks:
            hook.remove()
        for layer, product in zip(layers, products, strict=True):
            layer.widen, layer.narrow = _thinner(layer.widen, layer.narrow, product, neurons)
    taught.train()


def _note(products: list[Tensor]) -> Callable[[nn.Module, Any], None]:
    """Gives what adds to `products` those of a layer's neurons, and of a constant, with another."""

    def note(_: nn.Module, said: tuple[Tensor]) -> None:
        rows = torch.cat([said[0], torch.ones(len(said[0]), 1)], 1)
        summed = torch.zeros(rows.shape[1], rows.shape[1], dtype=torch.float64)
        shares: Sequence[Tensor] = torch.split(rows, ROWS)
        for share in shares:
            summed += share.T @ share
        products.append(summed / len(rows))

    return note


def _thinner(
    widen: nn.Linear, narrow: nn.Linear, products: Tensor, neurons: int
) -> tuple[nn.Linear, nn.Linear]:
    """Gives both matrices of a layer with `neurons` between them."""
    count = widen.out_features
    constant = torch.zeros(count + 1, dtype=torch.bool)
    constant[-1] = True
    ridge = RIDGE * products.diagonal()[:-1].mean()
    inverse = torch.linalg.inv(products + torch.diag(ridge * ~constant))
    weight = torch.cat([narrow.weight, narrow.bias[:, None]], 1).double()
    left = torch.arange(count + 1)
    while len(left) - 1 > neurons:
        loss = weight.square().sum(0) / inverse.diagonal()
        loss[-1] = torch.inf
        most = min(AT_ONCE, len(left) - 1 - neurons)
        gone = torch.zeros(len(left), dtype=torch.bool)
        gone[loss.argsort(stable=True)[:most]] = True
        taken = torch.linalg.solve(inverse[gone][:, gone], inverse[gone][:, ~gone])
        weight = weight[:, ~gone] - weight[:, gone] @ taken
        inverse = inverse[~gone][:, ~gone] - inverse[~gone][:, gone] @ taken
        left = left[~gone]
    thin_widen, thin_narrow = nn.Linear(WIDTH, neurons), nn.Linear(neurons, WIDTH)
    thin_widen.weight.copy_(widen.weight[left[:-1]])
    thin_widen.bias.copy_(widen.bias[left[:-1]])
    thin_narrow.weight.copy_(weight[:, :-1])
    thin_narrow.bias.copy_(weight[:, -1])
    return thin_widen, thin_narrow
