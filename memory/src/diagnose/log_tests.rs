//! Errors in the logs of web frameworks.

use super::tests::assert_trace;

#[test]
fn logs_of_laravel_and_rails_are_parsed() {
    assert_trace(
        r#"[2026-11-30 10:00:00] local.ERROR: Undefined array key "x" {"userId":7,"exception":"[object] (ErrorException(code: 0): Undefined array key \"x\" at /var/www/app/Services/Cart.php:45)
[stacktrace]
#0 /var/www/vendor/framework/Handle.php(45): Framework\\Handle->run()
#1 /var/www/app/Http/CartController.php(56): App\\Services\\Cart->total()
"}"#,
        r#"
php | ErrorException: Undefined array key "x"
/var/www/app/Services/Cart.php:45 -
/var/www/vendor/framework/Handle.php:45 Framework\\Handle->run()
/var/www/app/Http/CartController.php:56 App\\Services\\Cart->total()
"#,
    );
    assert_trace(
        r#"[2026-11-30 10:00:00] production.ERROR: SQLSTATE[42S02]: table not found {"exception":"[object] (Illuminate\\Database\\QueryException(code: 42S02): SQLSTATE[42S02]: table not found at /var/www/app/Cart.php:9)"#,
        "
php | QueryException: SQLSTATE[42S02]: table not found
/var/www/app/Cart.php:9 -
",
    );
    assert_trace(
        "NoMethodError (undefined method `balance' for nil):

app/models/account.rb:12:in `total'
app/controllers/accounts_controller.rb:5:in `index'",
        "
ruby | NoMethodError: undefined method `balance' for nil
app/models/account.rb:12 total
app/controllers/accounts_controller.rb:5 index
",
    );
    assert_trace(
        "ActiveRecord::RecordNotFound (Couldn't find Account with 'id'=7):",
        "\nruby | ActiveRecord::RecordNotFound: Couldn't find Account with 'id'=7\n",
    );
    assert_trace(
        "#0 /var/www/app/Cart.php(3): total()\n#1 /var/www/app/Shop.php(4): run()",
        "
php | #0 /var/www/app/Cart.php(3): total()
/var/www/app/Cart.php:3 total()
/var/www/app/Shop.php:4 run()
",
    );
}
