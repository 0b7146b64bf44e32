//! The prefixes under which other files serve a router.

use super::{dump, dump_fresh, project, update, write};
use crate::query::Reader;
use std::path::Path;

/// The routes as `METHOD path handler`.
fn routes(root: &Path) -> Vec<String> {
    update(root);
    let found = Reader::open(root).expect("an index").routes(None, 100).expect("routes");
    let name = |route: &crate::query::RouteRow| {
        route.handler.as_ref().map_or_else(|| "-".to_owned(), |symbol| symbol.qualified.clone())
    };
    found.iter().map(|route| format!("{} {} {}", route.method, route.path, name(route))).collect()
}

/// The routes as `METHOD path`.
fn paths(root: &Path) -> Vec<String> {
    let without_handler = |route: &String| route.rsplit_once(' ').map(|(path, _)| path.to_owned());
    let mut all: Vec<String> = routes(root).iter().filter_map(without_handler).collect();
    all.sort();
    all
}

fn routes_of(files: &[(&str, &str)]) -> Vec<String> {
    routes(project(files).path())
}

#[test]
fn routers_of_express_have_the_prefixes_of_the_files_that_use_them() {
    let found = routes_of(&[
        ("package.json", "{}"),
        (
            "app.js",
            "const express = require('express');\nconst users = require('./routes/users');\nconst app = express();\napp.use(express.json());\napp.use('/api', require('./routes'));\napp.use('/direct', auth, users);\nfunction auth() {}\n",
        ),
        (
            "routes/index.js",
            "const router = require('express').Router();\nrouter.use('/users', require('./users'));\nmodule.exports = router;\n",
        ),
        (
            "routes/users.js",
            "const { Router } = require('express');\nconst router = Router();\nrouter.get('/:id', show);\nfunction show() {}\nmodule.exports = router;\n",
        ),
        (
            "server.ts",
            "import express from 'express';\nimport posts from './routes/posts';\nimport { admin as panel } from './routes/admin';\nexpress().use('/posts', posts).use(panel);\n",
        ),
        (
            "routes/posts.ts",
            "import express from 'express';\nconst r = express.Router();\nr.get('/list', list);\nexport function list() {}\nexport default r;\n",
        ),
        (
            "routes/admin.ts",
            "import { Router } from 'express';\nexport const admin = Router();\nadmin.post('/ban', ban);\nfunction ban() {}\n",
        ),
    ]);
    assert_eq!(
        found,
        [
            "GET /api/users/:id show",
            "POST /ban ban",
            "GET /direct/:id show",
            "GET /posts/list list"
        ]
    );
}

#[test]
fn plugins_of_fastify_and_apps_of_hono_have_prefixes() {
    let found = routes_of(&[
        ("package.json", "{}"),
        (
            "app.js",
            "import Fastify from 'fastify';\nimport users from './users.js';\nconst fastify = Fastify();\nfastify.register(users, { prefix: '/users' });\nfastify.register(async (f) => { f.get('/in', h); }, { prefix: '/v1' });\nfunction h() {}\n",
        ),
        (
            "users.js",
            "import 'fastify';\nexport default async function (app) { app.get('/:id', show); }\nfunction show() {}\n",
        ),
        (
            "hono.ts",
            "import { Hono } from 'hono';\nimport books from './books';\nconst app = new Hono().basePath('/api');\napp.route('/books', books);\n",
        ),
        (
            "books.ts",
            "import { Hono } from 'hono';\nconst books = new Hono();\nbooks.get('/', list);\nfunction list() {}\nexport default books;\n",
        ),
    ]);
    assert_eq!(found, ["GET /api/books list", "GET /users/:id show", "GET /v1/in h"]);
}

#[test]
fn routers_of_python_have_prefixes() {
    let found = routes_of(&[
        (
            "app/main.py",
            "from fastapi import FastAPI\nfrom app.api import api_router\napp = FastAPI()\napp.include_router(api_router, prefix='/v1')\n",
        ),
        ("app/__init__.py", ""),
        (
            "app/api.py",
            "from fastapi import APIRouter\nfrom app import users\nfrom .items import router as items\napi_router = APIRouter()\napi_router.include_router(users.router, prefix='/users')\napi_router.include_router(items)\napi_router.include_router(items, prefix=f'/{x}')\n",
        ),
        (
            "app/users.py",
            "from fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/{id}')\ndef read(id): pass\n",
        ),
        (
            "app/items.py",
            "from fastapi import APIRouter\nrouter = APIRouter(prefix='/items')\n@router.get('/')\ndef items(): pass\n",
        ),
        (
            "site/app.py",
            "from flask import Flask\ndef create_app():\n    app = Flask(__name__)\n    from views import bp\n    from auth import bp as auth_bp\n    app.register_blueprint(bp, url_prefix='/blog')\n    app.register_blueprint(auth_bp)\n",
        ),
        (
            "site/views.py",
            "from flask import Blueprint\nbp = Blueprint('a', __name__, url_prefix='/old')\n@bp.route('/<id>')\ndef show(id): pass\n",
        ),
        (
            "site/auth.py",
            "from flask import Blueprint\nbp = Blueprint('b', __name__, url_prefix='/auth')\n@bp.route('/login')\ndef login(): pass\n",
        ),
        (
            "shop/urls.py",
            "from django.urls import include, path\nfrom . import views\nurlpatterns = [path('', views.home), path('api/', include('shop.api'))]\n",
        ),
        ("shop/__init__.py", ""),
        ("shop/views.py", "def home(request): pass\ndef user(request): pass\n"),
        (
            "shop/api.py",
            "from django.urls import path\nfrom . import views\nurlpatterns = [path('users/<int:id>/', views.user)]\n",
        ),
    ]);
    assert_eq!(
        found,
        [
            "* / home",
            "* /api/users/<int:id>/ user",
            "GET /auth/login login",
            "GET /blog/<id> show",
            "GET /v1/items items",
            "GET /v1/users/{id} read",
        ]
    );
}

#[test]
fn routers_of_rust_have_prefixes() {
    let found = routes_of(&[
        ("Cargo.toml", "[package]\nname = \"x\"\n"),
        (
            "src/main.rs",
            "mod posts;\nmod users;\nmod web;\nuse axum::{Router, routing::get};\nfn main() {\n    let api = Router::new().nest(\"/users\", users::router(1));\n    let app = Router::new().route(\"/\", get(home)).nest(\"/api\", api).nest(\"/inline\", Router::new().route(\"/x\", get(home)));\n}\nfn home() {}\n",
        ),
        (
            "src/users.rs",
            "use axum::{Router, routing::get};\npub fn router(a: u8) -> Router {\n    let inner = Router::new().route(\"/deep\", get(show));\n    Router::new().route(\"/:id\", get(show)).nest(\"/in\", inner)\n}\nfn show() {}\n",
        ),
        (
            "src/web.rs",
            "use actix_web::{App, web};\nuse crate::posts::{config, hello};\nfn app() { App::new().service(web::scope(\"/web\").configure(config).service(hello)); }\n",
        ),
        (
            "src/posts.rs",
            "use actix_web::{get, web};\npub fn config(c: &mut web::ServiceConfig) { c.route(\"/list\", web::get().to(list)); }\nfn list() {}\n#[get(\"/hello\")]\npub async fn hello() {}\n",
        ),
    ]);
    assert_eq!(
        found,
        [
            "GET / home",
            "GET /api/users/:id show",
            "GET /api/users/in/deep show",
            "GET /inline/x home",
            "GET /web/hello hello",
            "GET /web/list list",
        ]
    );
}

#[test]
fn routers_that_go_functions_receive_or_return_have_prefixes() {
    let found = routes_of(&[
        ("go.mod", "module g\n"),
        (
            "main.go",
            "package main\n\nimport (\n\t\"github.com/gin-gonic/gin\"\n\t\"g/users\"\n)\n\nfunc main() {\n\tr := gin.Default()\n\tapi := r.Group(\"/api\")\n\tusers.Register(api)\n\th := &users.Handler{}\n\th.Routes(r.Group(\"/admin\"), 1)\n\tlocal(api.Group(\"/v2\"))\n}\n\nfunc other(api *gin.RouterGroup) { api.GET(\"/o\", get) }\n\nfunc local(g *gin.RouterGroup) {\n\tg.GET(\"/l\", get)\n\tusers.Register(g)\n}\n\nfunc get(c *gin.Context) {}\n",
        ),
        (
            "users/users.go",
            "package users\n\nimport \"github.com/gin-gonic/gin\"\n\ntype Handler struct{}\n\nfunc (h *Handler) Routes(rg *gin.RouterGroup, x int) { rg.POST(\"/ban\", h.Ban) }\n\nfunc (h *Handler) Ban(c *gin.Context) {}\n\nfunc Register(rg *gin.RouterGroup) { rg.GET(\"/users\", List) }\n\nfunc List(c *gin.Context) {}\n",
        ),
        (
            "web/web.go",
            "package web\n\nimport (\n\t\"github.com/go-chi/chi/v5\"\n\t\"g/posts\"\n)\n\nfunc Main() {\n\tr := chi.NewRouter()\n\tr.Mount(\"/posts\", posts.Routes())\n\tr.Route(\"/admin\", admin)\n\tr.Route(\"/x\", func(sub chi.Router) { sub.Get(\"/y\", h) })\n}\n\nfunc admin(r chi.Router) { r.Get(\"/stats\", h) }\n\nfunc h() {}\n",
        ),
        (
            "posts/posts.go",
            "package posts\n\nimport \"github.com/go-chi/chi/v5\"\n\nfunc Routes() chi.Router {\n\tr := chi.NewRouter()\n\tr.Get(\"/{id}\", Get)\n\treturn r\n}\n\nfunc Get() {}\n",
        ),
    ]);
    assert_eq!(
        found,
        [
            "POST /admin/ban Handler.Ban",
            "GET /admin/stats h",
            "GET /api/users List",
            "GET /api/v2/l get",
            "GET /api/v2/users List",
            "GET /o get",
            "GET /posts/{id} Get",
            "GET /x/y h",
        ]
    );
}

#[test]
fn a_prefix_changes_with_the_file_that_declares_it() {
    let dir = project(&[
        (
            "main.py",
            "import fastapi\nfrom a import router\napp.include_router(router, prefix='/one')\n",
        ),
        ("a.py", "from b import router\n"),
        (
            "b.py",
            "from fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/x')\ndef x(): pass\n",
        ),
    ]);
    assert_eq!(routes(dir.path()), ["GET /one/x x"]);
    write(
        dir.path(),
        "main.py",
        "import fastapi\nfrom a import router\napp.include_router(router, prefix='/two')\n",
    );
    assert_eq!(routes(dir.path()), ["GET /two/x x"]);
    write(dir.path(), "a.py", "from c import router\n");
    assert_eq!(routes(dir.path()), ["GET /x x"]);
    write(dir.path(), "c.py", "from b import router\n");
    assert_eq!(routes(dir.path()), ["GET /two/x x"]);
    // Routers that serve each other have no prefix.
    write(
        dir.path(),
        "main.py",
        "import fastapi\nfrom a import router\nrouter.include_router(router, prefix='/two')\n",
    );
    assert_eq!(routes(dir.path()), ["GET /x x"]);
    assert_eq!(dump(dir.path()), dump_fresh(dir.path()));
}

#[test]
fn paths_contain_the_values_of_constants_of_other_files() {
    let files = [
        (
            "app.ts",
            "import express from 'express';\nimport { API, LIST as ALL, KEY } from './paths';\nimport { users } from './users';\nconst app = express();\nconst OWN = `${API}/own`;\napp.use(API, users);\napp.get(ALL, show);\napp.get(API + '/sum', show);\napp.get(`${API}/text`, show);\ncache.get(KEY, show);\nfunction show() {}\n",
        ),
        (
            "users.ts",
            "import { Router } from 'express';\nexport const users = Router();\nusers.get('/me', me);\nfunction me() {}\n",
        ),
        (
            "paths.ts",
            "export { API } from './base';\nexport const LIST = '/list' as const;\nexport const KEY = 'key';\n",
        ),
        ("base.ts", "export const API = '/api/';\n"),
        (
            "web.py",
            "from fastapi import APIRouter\nfrom names import PREFIX\nrouter = APIRouter(prefix=PREFIX)\n\n@router.get(f'{PREFIX}/x')\ndef x(): pass\n",
        ),
        ("names.py", "PREFIX = '/p'\n"),
    ];
    let dir = project(&files);
    update(dir.path());
    let expected = ["GET /api/me", "GET /api/sum", "GET /api/text", "GET /list", "GET /p/p/x"];
    assert_eq!(paths(dir.path()), expected);
    write(dir.path(), "base.ts", "export const API = '/v2';\n");
    write(dir.path(), "names.py", "PREFIX = '/q'\n");
    update(dir.path());
    let expected = ["GET /list", "GET /q/q/x", "GET /v2/me", "GET /v2/sum", "GET /v2/text"];
    assert_eq!(paths(dir.path()), expected);
    assert_eq!(dump(dir.path()), dump_fresh(dir.path()));
}

#[test]
fn lists_of_django_have_the_prefix_under_which_they_are_included() {
    let files = [
        (
            "urls.py",
            "from django.urls import include, path\nimport views\nfrom more import late, app_urls\nimport shop\nextra = [path('b', views.b)]\nplain = [path('c', views.c)]\n\
             urlpatterns = [\n    path('in/', include([path('a', views.a), path('deep/', include([path('z', views.a)]))])),\n    path('extra/', include((extra, 'name'))),\n    path('late/', include(late)),\n    path('shop/', include(shop)),\n] + plain\n",
        ),
        ("more.py", "from django.urls import path\nimport views\nlate = [path('d', views.a)]\n"),
        (
            "shop.py",
            "from django.urls import path\nimport views\nurlpatterns = [path('e', views.a)]\n",
        ),
        ("views.py", "def a(r): pass\ndef b(r): pass\ndef c(r): pass\n"),
    ];
    let dir = project(&files);
    update(dir.path());
    let expected = ["* /c", "* /extra/b", "* /in/a", "* /in/deep/z", "* /late/d", "* /shop/e"];
    assert_eq!(paths(dir.path()), expected);
}
