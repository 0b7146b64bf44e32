//! Texts of files in languages whose names come from packages and namespaces. Any of them can be the
//! content of any file of its language, so the same name means different things after each change.

pub(super) const JAVA: &[&str] = &[
    "package j;
public class A implements Saver<B> {
    int total = Limits.MAX;
    void save() {}
    void save(int a) { this.save(); }
    void save(String a, int b) { save(b); }
    public B saved() { return new B(); }
    static A make() { return new A(); }
    static class Row { int at; Row(int at) { this.at = at; } }
}
",
    "package j;
class B extends A {
    void run() { save(); save(1); A.make().save(); super.save(1); new A.Row(total).at++; }
    @Override public B saved() { return this; }
}
enum Kind { ONE, TWO; Kind next() { return TWO; } }
",
    "package k;
import j.A;
import j.Kind;
import static j.Limits.MAX;
class B { A a; void run(Kind kind) { a.save(); make(); a.saved().run(); if (kind == Kind.ONE) a.save(MAX); kind.next(); } }
",
    "package j;
class A { B b; void go() { b.run(); b.saved().save(); Runnable late = this::go; late.run(); } void late(Object x) { x.go(); } }
class Limits { static final int MAX = 3; static int count(int a) { return a; } }
",
    "package j;
interface Saver<T> { T saved(); default void late() { saved(); } }
abstract class Base implements Saver<A> { protected int total; abstract void save(); void all() { late(); save(); total = Limits.count(1); } }
class A extends Base { void save() { total++; } public A saved() { return this; } A(int a) {} A() { this(1); } }
",
    "package k;
import j.*;
import org.springframework.web.bind.annotation.*;
@RestController
@RequestMapping(\"/k\")
public class Web {
    private final A a = A.make();
    @GetMapping(\"/one\")
    public B one() { return a.saved(); }
    @PostMapping(value = \"/two\")
    void two() { items().forEach(this::each); }
    private void each(A.Row row) { row.at = 2; }
    private java.util.List<A.Row> items() { return null; }
}
",
    "package j; class A { void save( {",
];

pub(super) const KOTLIN: &[&str] = &[
    "package j
open class Base { open fun saveIt() {} fun saveIt(a: Int) = a; val total = LIMIT }
fun make(): Base = Base()
const val LIMIT = 3
",
    "package j
class Other : Base(), Late { fun run() { saveIt(); make().saveIt(); saveIt(total); late() } override fun saveIt() { super.saveIt() } }
interface Late { fun late() {} }
",
    "package k
import j.Base
import j.make as build
fun go(b: Base) { b.saveIt(); build().late(); b.total; listOf(b).map(::each) }
fun each(b: Base) = b.late()
fun Base.late() {}
",
    "package k
import j.*
import k.late
class Base { fun saveIt() { make() }; companion object { fun open(): Base = Base(); val count = LIMIT } }
fun use() { Base.open().saveIt(); Base.count; Kind.ONE.next() }
",
    "package j
object Base { fun saveIt() { make() }; val total get() = LIMIT }
enum class Kind(val base: Base) { ONE(Base), TWO(Base); fun next() = TWO }
fun Base.late() = saveIt()
",
    "package k
import j.Base
import j.Base.Companion.open
import j.Kind
class Repo(private val base: Base) { fun run(kind: Kind): Base { base.saveIt(1); open(); return when (kind) { Kind.ONE -> base; else -> kind.base } } }
fun Repo.again() = run(Kind.TWO).saveIt()
",
    "package j
import org.springframework.web.bind.annotation.*
@RestController
@RequestMapping(\"/kt\")
class Web(val base: Base) { @GetMapping(\"/one\") fun one() = base.saveIt(); private fun two() = make() }
typealias Row = Base
val shared = Base()
fun row(row: Row) { row.saveIt(); shared.saveIt() }
",
    "package j\nfun make(: {",
];

pub(super) const CSHARP: &[&str] = &[
    "namespace P.A;
public partial class Base { public void Save() {} public static Base Make() => new Base(); public int Total { get; set; } = Limits.Max; }
public enum Kind { One, Two }
",
    "namespace P.A;
public partial class Base : ISaver { public void Late() { Save(); Make().Save(); Save(Total); } public void Save(int a) { this.Save(); } }
public interface ISaver { void Late(); }
",
    "using P.A;
namespace P.B;
public class Other : Base { void Run(Base b, Kind kind) { b.Save(); Late(); b.Extra(); b.SaveAll(1); if (kind == Kind.One) b.Total++; } }
",
    "namespace P.B;
public static class Tools { public static void Extra(this P.A.Base b) { b.Save(); } public static int SaveAll(this P.A.Base b, int a) => a + b.Total; }
",
    "namespace P.A {
  class Base { private readonly P.B.Other other; class Row { public Row(int a) {} } void Go() { other.Late(); new Row(1); Each(Save); } void Save() {} void Each(System.Action x) {} }
  static class Limits { public const int Max = 3; }
}
namespace P.B { class Other { public void Late() {} } }
",
    "using static P.A.Limits;
using Alias = P.A.Base;
namespace P.B;
record Other(Alias Item, int At) { public void Run() { Item.Save(); Alias.Make(); Count(Max); Item?.Late(); var made = new Alias(); made.Save(At); } }
",
    "namespace P.A;
public static class Limits { public static int Count(int a) => a; public const int Max = 4; }
public class Base<T> : Base where T : ISaver { T item; void All() { item.Late(); base.Save(); } }
",
    "using Microsoft.AspNetCore.Mvc;
using P.A;
namespace P.B;
[ApiController]
[Route(\"api/[controller]\")]
public class WebController : ControllerBase { private readonly Base _base; public WebController(Base b) { _base = b; } [HttpGet(\"one\")] public int One() { _base.Save(); return _base.Total; } [HttpPost] void Two() => Tools.Extra(_base); }
",
    "namespace P.A; class Base { void Save( {",
];

pub(super) const PHP: &[&str] = &[
    "<?php
namespace P;
class Base { const MAX = 3; public int $total = self::MAX; public function save() {} public static function make(): Base { return new Base(); } }
",
    "<?php
namespace Q;
use P\\Base;
use function P\\helper;
class Other extends Base { function run() { $this->save(); Base::make()->save(); helper(); parent::save(); $this->total += self::MAX; } }
",
    "<?php
namespace P;
trait Late { function late() { $this->save(); return static::make(); } }
function helper(Base $b) { $b->save(); $b->late(); usort($x, [$b, 'save']); return [Base::class, 'make']; }
",
    "<?php
namespace P;
class Base implements Saver { use Late; private Base $b; function go() { $this->b->late(); $this->b->total; Kind::One->next(); } function save() {} }
interface Saver { function save(); }
",
    "<?php
namespace P;
enum Kind: string { case One = 'a'; case Two = 'b'; function next(): Kind { return self::Two; } }
abstract class Base { abstract function save(); static function make(): static { return new static(); } function __construct(protected Kind $kind) {} function late() { return $this->kind->next(); } }
",
    "<?php
namespace Q;
use P\\{Base, Kind as Sort};
use const P\\LIMIT;
#[Base]
class Other { public function __construct(private Base $base, private ?Sort $sort = null) {} public function run() { $this->base->save(); return Sort::One === $this->sort ? LIMIT : Base::MAX; } }
",
    "<?php
namespace P;
const LIMIT = 2;
class Item extends \\Illuminate\\Database\\Eloquent\\Model { public function posts() { return $this->hasMany(Item::class); } public function scopeLate($q) {} }
function show(Item $item) { return $item->posts; }
",
    "<?php
use P\\Base;
use Q\\Other;
use Illuminate\\Support\\Facades\\Route;
Route::get('/one', [Base::class, 'save']);
Route::prefix('in')->group(function () { Route::post('/two', [Other::class, 'run']); });
Route::resource('bases', Base::class);
",
    "<?php
class Base { public function save() { \\P\\helper(new \\P\\Base()); } public function index() {} }
function late(Base $b) { return $b->save(); }
",
    "<?php\nnamespace P;\nclass Base { function (",
];

pub(super) const RUBY: &[&str] = &[
    "module A
  LIMIT = 3
  class Base
    attr_reader :total
    def save; late; @total = LIMIT; end
    def self.make = Base.new
  end
end
",
    "class A::Base
  before_action :late, only: :go
  def late; send(:save); end
  def go; end
end
",
    "class Other < A::Base
  include Late
  def run; save; A::Base.make.save; helper_it; total; super; end
  def late; super; end
end
",
    "module Late
  def helper_it; end
  def self.included(base); base.extend(Makes); end
  module Makes; def make; new; end; end
end
module A
  class Base
    def go; Base.new.late; items.map(&:save); end
  end
end
",
    "require_relative \"a\"
module A
  module Late
    def save; @base ||= Base.new; end
  end
  class Base
    extend Late
    include Late
    Row = Struct.new(:at)
    def initialize(at); @row = Row.new(at); @other = Other.new; end
    def go; @other.run; @row.at; LIMIT; end
    private
    def late; end
  end
end
",
    "require_relative \"../r/b\"
class A < Other
  KINDS = { one: :save }.freeze
  class << self
    def make; new.run; end
  end
  def run(a = KINDS); A::KINDS; public_send(:late); end
end
",
    "class BasesController < ApplicationController
  before_action :load
  def index; A::Base.make.go; end
  def show; render json: load; end
  def create; end
  private def load; @base = A::Base.new; end
end
",
    "Rails.application.routes.draw do
  root \"bases#index\"
  resources :bases, only: [:index, :show]
  namespace :api do
    resources :others
    get \"late\", to: \"bases#create\"
  end
end
",
    "class Api::OthersController < BasesController
  def index; super; load; end
end
",
    "class A::Base\n  def save(\n",
];
