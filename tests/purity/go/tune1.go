// Package deploycli holds the pieces of a deployment command line tool.
package deploycli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

var (
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)
	errNoValue  = errors.New("option has no value")
	unitSizes   = map[string]int64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
	aliases     = map[string]string{}
	verbosity   int
)

// Options is what the command line and the file agree on.
type Options struct {
	Target  string
	Dry     bool
	Workers int
	Labels  map[string]string
	Hosts   []string
}

// WithWorkers returns options using the given worker count.
func (o Options) WithWorkers(n int) Options {
	if n < 1 {
		n = 1
	}
	o.Workers = n
	return o
}

// WithLabel returns options carrying one more label.
func (o Options) WithLabel(key, value string) Options {
	o.Labels[key] = value
	return o
}

// WithHost returns options with one more host.
func (o Options) WithHost(host string) Options {
	hosts := make([]string, len(o.Hosts), len(o.Hosts)+1)
	copy(hosts, o.Hosts)
	o.Hosts = append(hosts, host)
	return o
}

// Apply sets one named option.
func (o *Options) Apply(name, value string) error {
	switch name {
	case "target":
		o.Target = value
	case "dry":
		o.Dry = value == "yes"
	case "workers":
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("workers: %w", err)
		}
		o.Workers = n
	default:
		return fmt.Errorf("unknown option %q", name)
	}
	return nil
}

// Summary renders the options on one line.
func (o *Options) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s workers=%d", o.Target, o.Workers)
	if o.Dry {
		b.WriteString(" (dry)")
	}
	return b.String()
}

// SortedHosts lists the hosts in order.
func (o *Options) SortedHosts() []string {
	hosts := o.Hosts
	sort.Strings(hosts)
	return hosts
}

// ParseOptions reads name=value lines.
func ParseOptions(text string) (Options, error) {
	opts := Options{Workers: 4, Labels: map[string]string{}}
	for i, line := range strings.Split(text, "\n") {
		name, value, err := splitOption(stripComment(line))
		if errors.Is(err, errNoValue) {
			continue
		}
		if err := opts.Apply(name, value); err != nil {
			return Options{}, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return opts, nil
}

// ReadOptions parses the file at path.
func ReadOptions(path string) (Options, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Options{}, err
	}
	return ParseOptions(string(raw))
}

func stripComment(line string) string {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	return strings.TrimSpace(line)
}

func splitOption(line string) (string, string, error) {
	name, value, found := strings.Cut(line, "=")
	if !found || value == "" {
		return name, "", errNoValue
	}
	return strings.TrimSpace(name), strings.TrimSpace(value), nil
}

func parseSize(text string) (int64, error) {
	factor := int64(1)
	for suffix, size := range unitSizes {
		if rest, ok := strings.CutSuffix(strings.ToLower(text), suffix); ok {
			text, factor = rest, size
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n * factor, err
}

func validName(name string) bool {
	return namePattern.MatchString(name) && !strings.HasSuffix(name, "-")
}

func defineAlias(short, long string) {
	aliases[short] = long
}

func resolveAlias(name string) string {
	for i := 0; i < 8; i++ {
		next, ok := aliases[name]
		if !ok {
			return name
		}
		name = next
	}
	return name
}

func commandWords(line string) []string {
	words := strings.Fields(line)
	if len(words) > 0 {
		words[0] = resolveAlias(words[0])
	}
	return words
}

func raiseVerbosity(steps int) int {
	verbosity += steps
	return verbosity
}

func levelName() string {
	names := [...]string{"quiet", "normal", "chatty"}
	if verbosity >= len(names) {
		return names[len(names)-1]
	}
	return names[verbosity]
}

func homeDir() string {
	if dir := os.Getenv("DEPLOY_HOME"); dir != "" {
		return dir
	}
	return "/opt/deploy"
}

func statePath(name string) string {
	return homeDir() + "/state/" + name + ".txt"
}

func planPaths(names []string) []string {
	paths := make([]string, 0, len(names))
	for _, name := range names {
		paths = append(paths, statePath(name))
	}
	return paths
}

func expandVars(text string, vars map[string]string) string {
	return os.Expand(text, func(key string) string { return vars[key] })
}

func expandAll(items []string) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = os.ExpandEnv(item)
	}
	return out
}

func confirm(question string) (bool, error) {
	fmt.Printf("%s [y/N] ", question)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return false, err
	}
	return strings.EqualFold(strings.TrimSpace(answer), "y"), nil
}

func writeTable(w io.Writer, rows [][]string) error {
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return nil
}

func tableText(rows [][]string) string {
	widths := columnWidths(rows)
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			fmt.Fprintf(&b, "%-*s ", widths[i], cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(cell))
		}
	}
	return widths
}

func formatDuration(d time.Duration) string {
	if d < 0 {
		log.Printf("negative duration %d", int64(d))
		d = 0
	}
	return fmt.Sprintf("%02d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

func progressLine(done, total int, spent time.Duration) string {
	return fmt.Sprintf("%d/%d %s", done, total, formatDuration(spent))
}

func dropEmpty(items []string) []string {
	kept := items[:0]
	for _, item := range items {
		if item != "" {
			kept = append(kept, item)
		}
	}
	return kept
}

func nonEmpty(items []string) []string {
	var kept []string
	for _, item := range items {
		if item != "" {
			kept = append(kept, item)
		}
	}
	return kept
}

func takeFlag(args *[]string, flag string) bool {
	for i, arg := range *args {
		if arg == flag {
			*args = append((*args)[:i:i], (*args)[i+1:]...)
			return true
		}
	}
	return false
}

func splitFlags(args []string) (flags, rest []string) {
	rest = append([]string(nil), args...)
	for _, name := range []string{"--dry", "--force"} {
		if takeFlag(&rest, name) {
			flags = append(flags, name)
		}
	}
	return flags, rest
}

func retry(times int, action func() error) error {
	var err error
	for i := 0; i < times; i++ {
		if err = action(); err == nil {
			return nil
		}
	}
	return err
}

func describeAll(items []fmt.Stringer) string {
	parts := make([]string, 0, len(items))
	for _, item := range items {
		parts = append(parts, item.String())
	}
	return strings.Join(parts, ", ")
}

func releaseTag(version string) string {
	return version + "-" + time.Now().UTC().Format("20060102")
}

func imageName(repo, version string) (string, error) {
	if !validName(repo) {
		return "", fmt.Errorf("bad repository %q", repo)
	}
	return repo + ":" + releaseTag(version), nil
}

func uniqueHosts(items []string) []string {
	hosts := append([]string(nil), items...)
	sort.Strings(hosts)
	kept := hosts[:0]
	for i, host := range hosts {
		if i == 0 || host != hosts[i-1] {
			kept = append(kept, host)
		}
	}
	return kept
}

func changedOptions(before, after *Options) []string {
	var names []string
	note := func(name string, same bool) {
		if !same {
			names = append(names, name)
		}
	}
	note("target", before.Target == after.Target)
	note("dry", before.Dry == after.Dry)
	note("workers", before.Workers == after.Workers)
	return names
}
