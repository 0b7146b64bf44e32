"""Order pricing for the storefront service. Amounts are integer cents."""
from __future__ import annotations

import logging
import os
import random
from dataclasses import dataclass, field
from datetime import date, datetime, timezone

logger = logging.getLogger("storefront.pricing")

TAX_BP = {"AT": 2000, "DE": 1900, "FR": 2000, "IE": 2300}
BULK_TIERS = ((100, 1500), (50, 1000), (10, 500))
SEASON_BP = {11: 1200, 12: 1500, 1: 800}

_rates: dict[str, float] = {}
_quote_seq = 0


@dataclass(frozen=True)
class LineItem:
    sku: str
    unit_cents: int
    quantity: int
    category: str = "misc"


@dataclass
class Cart:
    currency: str
    items: list[LineItem] = field(default_factory=list)
    coupons: list[str] = field(default_factory=list)

    def add(self, item: LineItem) -> "Cart":
        if item.quantity <= 0:
            raise ValueError("quantity must be positive")
        self.items.append(item)
        return self

    def total(self) -> int:
        return subtotal(self.items)

    def without(self, sku: str) -> "Cart":
        kept = Cart(self.currency)
        for item in self.items:
            if item.sku != sku:
                kept.add(item)
        kept.coupons.extend(self.coupons)
        return kept

    def next_coupon(self) -> str | None:
        if not self.coupons:
            return None
        return self.coupons.pop(0)

    def by_category(self) -> dict[str, list[LineItem]]:
        groups: dict[str, list[LineItem]] = {}
        for item in self.items:
            groups.setdefault(item.category, []).append(item)
        return groups

    def absorb(self, other: "Cart") -> int:
        moved = len(other.items)
        for item in other.items:
            self.add(item)
        other.items.clear()
        return moved


def line_total(item: LineItem) -> int:
    gross = item.unit_cents * item.quantity
    return gross - apply_bp(gross, bulk_discount_bp(item.quantity))


def bulk_discount_bp(quantity: int) -> int:
    for threshold, bp in BULK_TIERS:
        if quantity >= threshold:
            return bp
    return 0


def apply_bp(amount: int, bp: int) -> int:
    return (amount * bp + 5000) // 10000


def subtotal(items: list[LineItem]) -> int:
    total = 0
    for item in items:
        total += line_total(item)
    return total


def tax_for(country: str, amount: int) -> int:
    try:
        bp = TAX_BP[country]
    except KeyError:
        raise LookupError(f"no tax rate for {country!r}") from None
    return apply_bp(amount, bp)


def remember_rate(currency: str, rate: float) -> None:
    if rate <= 0:
        raise ValueError("rate must be positive")
    _rates[currency.upper()] = rate


def convert(amount: int, currency: str) -> int:
    rate = _rates.get(currency.upper(), 1.0)
    return round(amount * rate)


def priced_basket(items: list[LineItem], country: str, currency: str) -> dict[str, int]:
    net = subtotal(items)
    tax = tax_for(country, net)
    return {"net": net, "tax": tax, "gross": convert(net + tax, currency)}


def next_quote_id(prefix: str) -> str:
    global _quote_seq
    _quote_seq += 1
    return f"{prefix}-{_quote_seq:06d}"


def season_bp(month: int) -> int:
    return SEASON_BP.get(month, 0)


def running_season_bp() -> int:
    return season_bp(date.today().month)


def checkout_total(cart: Cart, country: str) -> int:
    net = cart.total()
    net -= apply_bp(net, running_season_bp())
    return net + tax_for(country, net)


def format_money(cents: int, symbol: str = "€") -> str:
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{symbol}{whole:,}.{rest:02d}"


def format_line(item: LineItem, width: int = 40) -> str:
    label = f"{item.quantity} x {item.sku}"
    if len(label) > width - 10:
        logger.debug("label %s does not fit %d columns", label, width)
        label = label[: width - 13] + "..."
    return label.ljust(width - 10) + format_money(line_total(item)).rjust(10)


def format_receipt(cart: Cart) -> str:
    lines = [format_line(item) for item in cart.items]
    lines.append("-" * 40)
    lines.append(format_money(cart.total()).rjust(40))
    return "\n".join(lines)


def cheapest(items: list[LineItem], count: int) -> list[LineItem]:
    items.sort(key=lambda item: item.unit_cents)
    return items[:count]


def most_valuable(items: list[LineItem], count: int) -> list[LineItem]:
    ranked = list(items)
    ranked.sort(key=line_total, reverse=True)
    del ranked[count:]
    return ranked


def merge_lines(base: list[LineItem], extra: list[LineItem]) -> list[LineItem]:
    merged = base
    known = {item.sku for item in base}
    for item in extra:
        if item.sku not in known:
            merged.append(item)
    return merged


def consolidate(items: list[LineItem]) -> list[LineItem]:
    seen: dict[str, LineItem] = {}
    for item in items:
        prior = seen.get(item.sku)
        if prior is None:
            seen[item.sku] = item
        else:
            quantity = prior.quantity + item.quantity
            seen[item.sku] = LineItem(item.sku, item.unit_cents, quantity, item.category)
    return list(seen.values())


def price_change(sku: str, cents: int, last: dict = {}) -> int:
    before = last.get(sku, cents)
    last[sku] = cents
    return cents - before


def price_with(items: list[LineItem], strategy) -> int:
    return sum(strategy(item) for item in items)


def undiscounted_total(items: list[LineItem]) -> int:
    return price_with(items, lambda item: item.unit_cents * item.quantity)


def apply_rules(amount: int, rules: list) -> int:
    for rule in rules:
        amount = rule(amount)
        if amount <= 0:
            return 0
    return amount


def make_discounter(bp: int):
    if not 0 <= bp <= 10000:
        raise ValueError("basis points out of range")

    def discount(amount: int) -> int:
        return amount - apply_bp(amount, bp)

    return discount


def rounding_step() -> int:
    raw = os.environ.get("STORE_ROUNDING", "1")
    return max(1, int(raw))


def round_total(cents: int) -> int:
    step = rounding_step()
    return (cents + step // 2) // step * step


def amount_due(cart: Cart, paid_cents: int) -> int:
    return max(0, round_total(cart.total()) - paid_cents)


def pick_promo(promos: list[str], weights: list[int]) -> str:
    if not promos:
        return ""
    return random.choices(promos, weights=weights, k=1)[0]


def invoice_number(seq: int, issued: date) -> str:
    return f"{issued.year}{issued.month:02d}-{seq:05d}"


def invoice_header(seq: int, customer_ref: str) -> dict[str, str]:
    issued = datetime.now(timezone.utc)
    return {
        "number": invoice_number(seq, issued.date()),
        "customer": customer_ref,
        "issued": issued.isoformat(timespec="seconds"),
    }


def split_evenly(total: int, parts: int) -> list[int]:
    base, remainder = divmod(total, parts)
    shares = [base] * parts
    for index in range(remainder):
        shares[index] += 1
    return shares


def drop_internal(payload: dict) -> dict:
    for key in [k for k in payload if k.startswith("_")]:
        del payload[key]
    return payload
