// Package ledger keeps accounts, postings and statements.
package ledger

import (
	"cmp"
	"database/sql"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const basisPoints = 10_000

var (
	ErrUnbalanced = errors.New("postings do not balance")
	feeSteps      = []struct{ From, Bp int64 }{{0, 50}, {100_000, 30}, {1_000_000, 10}}
	sequence      atomic.Int64
	frozen        = map[string]bool{}
	bookDate      time.Time
)

// Posting moves an amount to an account.
type Posting struct {
	Account string
	Amount  int64
	Memo    string
}

// Negated flips the sign.
func (p Posting) Negated() Posting {
	p.Amount = -p.Amount
	return p
}

// Rename points the posting at another account.
func (p *Posting) Rename(account string) *Posting {
	p.Account = account
	return p
}

// Entry is a set of postings.
type Entry struct {
	Number   int64
	Day      time.Time
	Postings []Posting
}

// Balance sums the postings.
func (e Entry) Balance() (total int64) {
	for _, p := range e.Postings {
		total += p.Amount
	}
	return total
}

// Check reports an entry that does not add up.
func (e Entry) Check() error {
	if e.Balance() != 0 {
		return fmt.Errorf("entry %d: %w", e.Number, ErrUnbalanced)
	}
	return nil
}

// Reversed undoes the entry.
func (e Entry) Reversed() Entry {
	postings := make([]Posting, 0, len(e.Postings))
	for _, p := range e.Postings {
		postings = append(postings, p.Negated())
	}
	e.Postings = postings
	return e
}

// Halved splits every amount in two.
func (e Entry) Halved() Entry {
	for i := range e.Postings {
		e.Postings[i].Amount /= 2
	}
	return e
}

// Ledger is all entries with running balances.
type Ledger struct {
	entries  []Entry
	balances map[string]int64
}

// Post books an entry.
func (l *Ledger) Post(e Entry) error {
	if err := e.Check(); err != nil {
		return err
	}
	l.entries = append(l.entries, e)
	for _, p := range e.Postings {
		l.balances[p.Account] += p.Amount
	}
	return nil
}

// BalanceOf reads one account.
func (l *Ledger) BalanceOf(account string) int64 {
	return l.balances[account]
}

// Accounts lists the known accounts in order.
func (l *Ledger) Accounts() []string {
	return slices.Sorted(maps.Keys(l.balances))
}

// Since returns the entries from a day on.
func (l *Ledger) Since(day time.Time) []Entry {
	slices.SortFunc(l.entries, func(a, b Entry) int { return a.Day.Compare(b.Day) })
	i := sort.Search(len(l.entries), func(i int) bool { return !l.entries[i].Day.Before(day) })
	return l.entries[i:]
}

// Each visits all entries.
func (l *Ledger) Each(visit func(Entry) bool) {
	for _, e := range l.entries {
		if !visit(e) {
			return
		}
	}
}

// Turnover sums the positive amounts of one account.
func (l *Ledger) Turnover(account string) int64 {
	var total int64
	l.Each(func(e Entry) bool {
		for _, p := range e.Postings {
			if p.Account == account && p.Amount > 0 {
				total += p.Amount
			}
		}
		return true
	})
	return total
}

func buildLedger(entries []Entry) (*Ledger, error) {
	l := &Ledger{balances: map[string]int64{}}
	for _, e := range entries {
		if err := l.Post(e); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func feeFor(amount int64) int64 {
	bp := int64(0)
	for _, step := range feeSteps {
		if amount >= step.From {
			bp = step.Bp
		}
	}
	return (amount*bp + basisPoints/2) / basisPoints
}

func withFee(postings []Posting, account string) []Posting {
	out := slices.Clone(postings)
	for _, p := range postings {
		if p.Amount > 0 {
			fee := feeFor(p.Amount)
			out = append(out, Posting{account, fee, "fee"}, Posting{p.Account, -fee, "fee"})
		}
	}
	return out
}

func parseAmount(text string) (int64, error) {
	whole, part, _ := strings.Cut(strings.ReplaceAll(text, ",", ""), ".")
	part = (part + "00")[:2]
	n, err := strconv.ParseInt(whole+part, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("amount %q: %w", text, err)
	}
	return n, nil
}

func formatAmount(cents int64) string {
	digits := strconv.FormatInt(max(cents, -cents), 10)
	for len(digits) < 3 {
		digits = "0" + digits
	}
	sign := ""
	if cents < 0 {
		sign = "-"
	}
	return sign + digits[:len(digits)-2] + "." + digits[len(digits)-2:]
}

func parseStatement(text string) ([]Posting, error) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var postings []Posting
	for _, record := range records {
		if len(record) < 3 {
			continue
		}
		amount, err := parseAmount(record[1])
		if err != nil {
			return nil, err
		}
		postings = append(postings, Posting{record[0], amount, record[2]})
	}
	return postings, nil
}

func importStatement(path string) ([]Posting, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return parseStatement(string(raw))
}

func nextNumber() int64 {
	return sequence.Add(1)
}

func newEntry(day time.Time, postings ...Posting) Entry {
	return Entry{Number: nextNumber(), Day: day, Postings: postings}
}

func transfer(from, to string, amount int64, day time.Time) (Entry, error) {
	if amount <= 0 {
		return Entry{}, fmt.Errorf("amount %d must be positive", amount)
	}
	return newEntry(day, Posting{from, -amount, ""}, Posting{to, amount, ""}), nil
}

func freeze(accounts ...string) {
	for _, account := range accounts {
		frozen[account] = true
	}
}

func usable(postings []Posting) bool {
	return !slices.ContainsFunc(postings, func(p Posting) bool { return frozen[p.Account] })
}

func closeBook(day time.Time) {
	bookDate = day.Truncate(24 * time.Hour)
}

func bookable(day time.Time) bool {
	return day.After(bookDate)
}

func scaleMemos(postings []Posting, suffix string) int {
	count := 0
	for _, p := range postings {
		p.Memo += suffix
		count += len(p.Memo)
	}
	return count
}

func tagMemos(postings []*Posting, suffix string) int {
	count := 0
	for _, p := range postings {
		p.Memo += suffix
		count += len(p.Memo)
	}
	return count
}

func largest(postings []Posting, n int) []Posting {
	slices.SortFunc(postings, func(a, b Posting) int { return cmp.Compare(b.Amount, a.Amount) })
	return postings[:min(n, len(postings))]
}

func smallest(postings []Posting, n int) []Posting {
	sorted := slices.SortedFunc(slices.Values(postings), func(a, b Posting) int {
		return cmp.Compare(a.Amount, b.Amount)
	})
	return sorted[:min(n, len(sorted))]
}

func anonymise(p Posting) Posting {
	local := p
	return *local.Rename("hidden")
}

func saveEntry(tx *sql.Tx, e Entry) error {
	for _, p := range e.Postings {
		_, err := tx.Exec(`INSERT INTO posting (entry, account, amount) VALUES (?, ?, ?)`, e.Number, p.Account, p.Amount)
		if err != nil {
			return fmt.Errorf("entry %d: %w", e.Number, err)
		}
	}
	return nil
}

func storedBalance(db *sql.DB, account string) (total int64, err error) {
	err = db.QueryRow(`SELECT COALESCE(SUM(amount), 0) FROM posting WHERE account = ?`, account).Scan(&total)
	return total, err
}

func overdrawn(db *sql.DB, accounts []string) []string {
	var names []string
	for _, account := range accounts {
		if total, err := storedBalance(db, account); err == nil && total < 0 {
			names = append(names, account)
		}
	}
	return names
}

func auditSample(entries []Entry, n int) []Entry {
	picked := slices.Clone(entries)
	rand.Shuffle(len(picked), func(i, j int) { picked[i], picked[j] = picked[j], picked[i] })
	return picked[:min(n, len(picked))]
}

func statementTitle(account string) string {
	return fmt.Sprintf("%s, printed %s", account, time.Now().UTC().Format(time.DateOnly))
}

func mapAmounts(postings []Posting, convert func(int64) int64) []Posting {
	out := make([]Posting, len(postings))
	for i, p := range postings {
		p.Amount = convert(p.Amount)
		out[i] = p
	}
	return out
}

func inThousands(postings []Posting) []Posting {
	return mapAmounts(postings, func(n int64) int64 { return n / 100_000 })
}
