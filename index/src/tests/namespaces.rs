//! Which symbol a call means in Kotlin, C#, PHP and Ruby.

use super::resolution::edges;

#[test]
fn kotlin_names_come_from_packages() {
    let base = "package a\n\nopen class Base {\n    fun save() {}\n    companion object { fun make(): Base = Base() }\n}\n\nfun helper(n: Int = 1) {}\nfun Base.extra() {}\n";
    let text = "package b\n\nimport a.Base\nimport a.extra\nimport a.helper as help\n\nclass A(private val other: Base) : Base() {\n    val made = Base.make()\n    fun run(x: Any) {\n        save()\n        other.save()\n        made.extra()\n        help()\n        listOf(1).map { save() }\n        x.save()\n    }\n}\n";
    assert_eq!(
        edges(&[("a/Base.kt", base), ("b/A.kt", text)]),
        [
            "Base.make -> a/Base.kt#Base~class",
            "A.made -> a/Base.kt#Base.make~method",
            "A.run -> a/Base.kt#Base.save~method",
            "A.run -> a/Base.kt#Base.save~method",
            "A.run -> a/Base.kt#extra~function",
            "A.run -> a/Base.kt#helper~function",
            "A.run x listOf",
            "A.run x map",
            "A.run -> a/Base.kt#Base.save~method",
            "A.run x save",
        ]
    );
}

#[test]
fn csharp_names_come_from_namespaces_and_partial_classes() {
    let base = "namespace P.Data;\npublic partial class Repo\n{\n    public void Save() { Flush(); }\n    public static Repo Make() => new Repo();\n}\npublic static class Tools\n{\n    public static void AddRepo(this IServices services, int n = 1) { }\n}\n";
    let part = "namespace P.Data;\npublic partial class Repo\n{\n    private void Flush() { }\n}\n";
    let text = "using P.Data;\nnamespace P.Web;\npublic class Page(Repo repo)\n{\n    private readonly Repo _other = Repo.Make();\n    public async Task Run(IServices services)\n    {\n        repo.Save();\n        _other?.Save();\n        this._other.Save();\n        services.AddRepo();\n        var made = Repo.Make();\n        made.Save();\n        Console.WriteLine(1);\n    }\n}\n";
    assert_eq!(
        edges(&[("Base.cs", base), ("Part.cs", part), ("Web.cs", text)]),
        [
            "Repo.Save -> Part.cs#Repo.Flush~method",
            "Repo.Make -> Base.cs#Repo~class",
            "Page -> Base.cs#Repo.Make~method",
            "Page.Run -> Base.cs#Repo.Save~method",
            "Page.Run -> Base.cs#Repo.Save~method",
            "Page.Run -> Base.cs#Repo.Save~method",
            "Page.Run -> Base.cs#Tools.AddRepo~method",
            "Page.Run -> Base.cs#Repo.Make~method",
            "Page.Run -> Base.cs#Repo.Save~method",
            "Page.Run x WriteLine",
        ]
    );
}

#[test]
fn php_names_come_from_use() {
    let base = "<?php\nnamespace P;\ntrait Saves { public function save() {} }\nclass Base { use Saves; public static function make(): static { return new static(); } }\nfunction helper() {}\n";
    let text = "<?php\nnamespace Q;\nuse P\\Base as B;\nuse function P\\helper;\nclass A extends B {\n    public function __construct(private B $other) {}\n    public function run($x) {\n        $this->save();\n        $this->other->save();\n        B::make()->save();\n        parent::save();\n        $y = new B();\n        $y->save();\n        helper();\n        strlen('a');\n        $x->save();\n    }\n}\n";
    assert_eq!(
        edges(&[("Base.php", base), ("A.php", text)]),
        [
            "A::run -> Base.php#Saves::save~method",
            "A::run -> Base.php#Saves::save~method",
            "A::run -> Base.php#Base::make~method",
            "A::run -> Base.php#Saves::save~method",
            "A::run -> Base.php#Saves::save~method",
            "A::run -> Base.php#Base~class",
            "A::run -> Base.php#Saves::save~method",
            "A::run -> Base.php#helper~function",
            "A::run x strlen",
            "A::run ? Base.php#Saves::save~method",
        ]
    );
}

#[test]
fn ruby_names_come_from_modules() {
    let base = "module Shop\n  class Base\n    def save\n      flush\n    end\n\n    def self.make\n      Base.new\n    end\n  end\nend\n";
    let part =
        "class Shop::Base\n  def flush; end\nend\n\nmodule Saves\n  def store(value); end\nend\n";
    let text = "class Order < Shop::Base\n  include Saves\n\n  def run(other)\n    @base = Shop::Base.new\n    save\n    store(1)\n    @base.save\n    Shop::Base.make.save\n    other.save\n    value = 1\n    value\n    super\n  end\nend\n";
    assert_eq!(
        edges(&[("base.rb", base), ("part.rb", part), ("run.rb", text)]),
        [
            "Shop::Base::save -> part.rb#Shop::Base::flush~method",
            "Shop::Base::make -> base.rb#Shop::Base~class",
            "Order::run -> base.rb#Shop::Base~class",
            "Order::run -> base.rb#Shop::Base::save~method",
            "Order::run -> part.rb#Saves::store~method",
            "Order::run -> base.rb#Shop::Base::save~method",
            "Order::run -> base.rb#Shop::Base::make~method",
            "Order::run -> base.rb#Shop::Base::save~method",
            "Order::run ? base.rb#Shop::Base::save~method",
            "Order::run x run",
        ]
    );
}
