// Cart pricing and promotions for the storefront checkout.
import { randomInt } from 'node:crypto';

export interface LineItem {
  sku: string;
  unitCents: number;
  qty: number;
  tags: string[];
  discountCents?: number;
}

export interface Cart {
  id: string;
  region: string;
  items: LineItem[];
  note?: string;
}

export interface PromoRule {
  matches(item: LineItem): boolean;
  amount(item: LineItem): number;
}

const TAX_BASIS_POINTS: Readonly<Record<string, number>> = {
  north: 725,
  south: 600,
  island: 0,
};
const BULK_STEPS = [
  { min: 100, percent: 15 },
  { min: 20, percent: 8 },
  { min: 5, percent: 3 },
];
const rateCache = new Map<string, number>();
let activeCampaign: string | null = null;
let quoteSequence = 1000;

export function lineTotal(item: LineItem): number {
  return item.unitCents * item.qty - (item.discountCents ?? 0);
}

export function subtotal(cart: Cart): number {
  let total = 0;
  for (const item of cart.items) {
    total += lineTotal(item);
  }
  return total;
}

export function bulkPercent(qty: number): number {
  const step = BULK_STEPS.find((s) => qty >= s.min);
  return step ? step.percent : 0;
}

export function applyBulkDiscount(cart: Cart): Cart {
  for (const item of cart.items) {
    const percent = bulkPercent(item.qty);
    if (percent > 0) {
      item.discountCents = Math.round((item.unitCents * item.qty * percent) / 100);
    }
  }
  return cart;
}

export function withBulkDiscount(cart: Cart): Cart {
  const items = cart.items.map((item) => ({ ...item }));
  for (const item of items) {
    item.discountCents = Math.round((item.unitCents * item.qty * bulkPercent(item.qty)) / 100);
  }
  return { ...cart, items };
}

export function cheapestFirst(items: LineItem[]): LineItem[] {
  return items.sort((a, b) => a.unitCents - b.unitCents);
}

export function priciestFirst(items: readonly LineItem[]): LineItem[] {
  const copy = items.slice();
  copy.sort((a, b) => b.unitCents - a.unitCents);
  return copy;
}

export function cheapestSku(cart: Cart): string | undefined {
  const [first] = cheapestFirst(cart.items);
  return first?.sku;
}

export function priciestSku(cart: Cart): string | undefined {
  const [first] = priciestFirst(cart.items);
  return first?.sku;
}

export function taxFor(region: string, cents: number): number {
  const points = TAX_BASIS_POINTS[region];
  if (points === undefined) {
    throw new RangeError(`no tax table for region ${region}`);
  }
  return Math.round((cents * points) / 10_000);
}

export function setRate(currency: string, rate: number): void {
  rateCache.set(currency, rate);
}

export function convert(cents: number, currency: string): number {
  const rate = rateCache.get(currency);
  if (rate === undefined) {
    throw new Error(`unknown currency ${currency}`);
  }
  return Math.round(cents * rate);
}

export function convertCart(cart: Cart, currency: string): number {
  return convert(subtotal(cart), currency);
}

export function startCampaign(name: string): string {
  activeCampaign = name.trim().toLowerCase();
  return activeCampaign;
}

export function campaignBanner(): string {
  return activeCampaign === null ? '' : `Now on: ${activeCampaign}`;
}

export function nextQuoteId(prefix: string): string {
  quoteSequence += 1;
  return `${prefix}-${quoteSequence.toString(36)}`;
}

export function buildQuote(cart: Cart): { id: string; total: number } {
  const net = subtotal(cart);
  const total = net + taxFor(cart.region, net);
  return { id: nextQuoteId(cart.region), total };
}

export function couponSuffix(length: number): string {
  let out = '';
  while (out.length < length) {
    out += randomInt(0, 36).toString(36);
  }
  return out.toUpperCase();
}

export function couponFor(cart: Cart): string {
  const base = cart.region.slice(0, 2).toUpperCase();
  return `${base}${couponSuffix(6)}`;
}

function hourNow(): number {
  return new Date().getUTCHours();
}

function isHappyHour(from: number, to: number): boolean {
  const hour = hourNow();
  return hour >= from && hour < to;
}

export function happyHourPrice(cents: number): number {
  return isHappyHour(16, 18) ? Math.floor(cents * 0.9) : cents;
}

export function hourBandPrice(cents: number, at: Date): number {
  const hour = at.getUTCHours();
  return hour >= 16 && hour < 18 ? Math.floor(cents * 0.9) : cents;
}

export function discountByRule(items: readonly LineItem[], rule: PromoRule): number {
  let saved = 0;
  for (const item of items) {
    if (rule.matches(item)) saved += rule.amount(item);
  }
  return saved;
}

export function mergeLines(items: readonly LineItem[]): LineItem[] {
  const bySku = new Map<string, LineItem>();
  for (const item of items) {
    const seen = bySku.get(item.sku);
    if (seen) {
      seen.qty += item.qty;
    } else {
      bySku.set(item.sku, { ...item, tags: [...item.tags] });
    }
  }
  return [...bySku.values()];
}

export function collapseLines(items: LineItem[]): LineItem[] {
  const bySku = new Map<string, LineItem>();
  for (const item of items) {
    const seen = bySku.get(item.sku);
    if (seen) {
      seen.qty += item.qty;
    } else {
      bySku.set(item.sku, item);
    }
  }
  return [...bySku.values()];
}

export function tagClearance({ items }: Cart, limit: number): number {
  const picked = items.filter((item) => item.unitCents < limit);
  picked.forEach((item) => item.tags.push('clearance'));
  return picked.length;
}

export function tagCounts(cart: Cart): Record<string, number> {
  return cart.items
    .flatMap((item) => item.tags)
    .reduce<Record<string, number>>((acc, tag) => {
      acc[tag] = (acc[tag] ?? 0) + 1;
      return acc;
    }, {});
}

export const formatCents = (cents: number): string => {
  const sign = cents < 0 ? '-' : '';
  const abs = Math.abs(cents);
  return `${sign}${Math.floor(abs / 100)}.${String(abs % 100).padStart(2, '0')}`;
};

export const formatCentsChecked = (cents: number): string => {
  if (!Number.isInteger(cents)) {
    console.warn('fractional cents passed to formatter', cents);
  }
  return formatCents(Math.round(cents));
};

export const receiptLines = (cart: Cart): string[] => {
  const lines: string[] = [];
  for (const item of cart.items) {
    lines.push(`${item.qty} x ${item.sku}  ${formatCents(lineTotal(item))}`);
  }
  lines.push(`total ${formatCents(subtotal(cart))}`);
  return lines;
};

export function renderReceipt(cart: Cart): string {
  return cart.items
    .map((item) => `${item.sku.padEnd(12)}${formatCentsChecked(lineTotal(item))}`)
    .join('\n');
}

export function defaultCurrency(): string {
  return process.env.SHOP_CURRENCY ?? 'eur';
}

export function priceTag(cents: number): string {
  return `${formatCents(cents)} ${defaultCurrency()}`;
}

export function patchCart(cart: Cart, patch: Partial<Cart>): Cart {
  return Object.assign(cart, patch);
}

export function patchedCart(cart: Cart, patch: Partial<Cart>): Cart {
  return Object.assign({}, cart, patch);
}

export function splitEvenly(cents: number, ways: number): number[] {
  const shares = new Array<number>(ways).fill(Math.floor(cents / ways));
  let left = cents - shares[0] * ways;
  for (let i = 0; left > 0; i++, left--) {
    shares[i]++;
  }
  return shares;
}

export function sumBy(items: readonly LineItem[], weigh: (item: LineItem) => number): number {
  return items.reduce((sum, item) => sum + weigh(item), 0);
}

export function unitCount(items: readonly LineItem[]): number {
  return sumBy(items, (item) => item.qty);
}
