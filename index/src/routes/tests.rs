//! The routes of small files of each framework.

use crate::facts;

/// The routes as `METHOD path handler`.
fn routes(path: &str, text: &str) -> Vec<String> {
    let facts = facts::read(path, text).expect("a supported language");
    let handler = |route: &super::Route| match (route.symbol, &route.handler) {
        (Some(at), _) => facts.outline.symbols[at as usize].qualified.clone(),
        (None, Some(chain)) => chain.names().collect::<Vec<_>>().join("."),
        (None, None) => "-".to_owned(),
    };
    facts
        .routes
        .iter()
        .map(|route| {
            let path = super::join(&route.base, &route.path);
            format!("{} {path} {}", route.method, handler(route))
        })
        .collect()
}

#[test]
fn routes_of_javascript_frameworks() {
    let text = "import { Router } from 'express';\nconst r = Router();\nr.get('/a', auth, users.list);\nr.post('/b', (req, res) => res.end());\nmap.get('key');\n";
    assert_eq!(routes("a.ts", text), ["GET /a users.list", "POST /b -"]);
    let text = "import { Hono } from 'hono';\nconst app = new Hono().basePath('/v1');\napp.get('/a', list);\n";
    assert_eq!(routes("a.ts", text), ["GET /v1/a list"]);
    let text = "import fastify from 'fastify';\nfastify().delete('/a/:id', { schema }, remove);\n";
    assert_eq!(routes("a.js", text), ["DELETE /a/:id remove"]);
    let text = "import { Controller, Get, Post } from '@nestjs/common';\n@Controller('cats')\nexport class Cats {\n  @Get(':id')\n  one() {}\n  @Post()\n  add() {}\n}\n";
    assert_eq!(routes("a.ts", text), ["GET /cats/:id Cats.one", "POST /cats Cats.add"]);
}

#[test]
fn routes_of_next_are_files() {
    let text = "export async function GET() {}\nexport const POST = async () => {};\nfunction helper() {}\n";
    assert_eq!(
        routes("src/app/(shop)/items/[id]/route.ts", text),
        ["GET /items/[id] GET", "POST /items/[id] POST"]
    );
    let text = "export default function Page() { return null; }\n";
    assert_eq!(routes("app/about/page.tsx", text), ["GET /about Page"]);
    assert_eq!(routes("pages/api/users/index.ts", text), ["* /api/users Page"]);
    assert!(routes("src/pages/About.tsx", text).is_empty());
}

#[test]
fn routes_of_python_frameworks() {
    let text = "from fastapi import APIRouter\nrouter = APIRouter(prefix='/items')\n@router.get('/{id}')\ndef read(id):\n    pass\n";
    assert_eq!(routes("a.py", text), ["GET /items/{id} read"]);
    let text = "from flask import Blueprint\nbp = Blueprint('a', __name__, url_prefix='/a')\n@bp.route('/b', methods=['GET', 'POST'])\ndef b():\n    pass\n";
    assert_eq!(routes("a.py", text), ["GET /a/b b", "POST /a/b b"]);
    let text = "from django.urls import path\nfrom . import views\nurlpatterns = [path('a/<int:id>/', views.show), path('b/', views.List.as_view(), name='b')]\n";
    assert_eq!(routes("urls.py", text), ["* /a/<int:id>/ views.show", "* /b/ views.List"]);
}

#[test]
fn routes_of_rust_and_go() {
    let text = "use axum::{Router, routing::get};\nfn app() -> Router { Router::new().route(\"/a\", get(list).post(users::create)) }\n";
    assert_eq!(routes("src/main.rs", text), ["GET /a list", "POST /a users.create"]);
    let text = "use actix_web::{get, web};\n#[get(\"/a\")]\nasync fn a() {}\nfn c(s: &mut S) { s.service(web::scope(\"/c\").route(\"/b\", web::put().to(b))); }\n";
    assert_eq!(routes("src/main.rs", text), ["GET /a a", "PUT /c/b b"]);
    let text = "package a\nimport \"github.com/gin-gonic/gin\"\nfunc f(r *gin.Engine) {\n\tapi := r.Group(\"/api\")\n\tapi.GET(\"/a\", h.list)\n}\n";
    assert_eq!(routes("a.go", text), ["GET /api/a h.list"]);
    let text = "package a\nimport \"github.com/go-chi/chi/v5\"\nfunc f(r chi.Router) {\n\tr.Route(\"/a\", func(r chi.Router) {\n\t\tr.Get(\"/b\", b)\n\t})\n}\n";
    assert_eq!(routes("a.go", text), ["GET /a/b b"]);
    let text = "package a\nimport \"net/http\"\nfunc f() { http.HandleFunc(\"GET /a\", a) }\n";
    assert_eq!(routes("a.go", text), ["GET /a a"]);
}

#[test]
fn routes_of_spring_and_asp_net() {
    let text = "package a;\nimport org.springframework.web.bind.annotation.*;\n@RestController\n@RequestMapping(\"/a\")\npublic class A {\n  @GetMapping(\"/{id}\")\n  public String one() { return null; }\n  @RequestMapping(value = \"/b\", method = RequestMethod.PUT)\n  public void b() {}\n}\n";
    assert_eq!(routes("A.java", text), ["GET /a/{id} A.one", "PUT /a/b A.b"]);
    let text = "package a\nimport org.springframework.web.bind.annotation.GetMapping\n@RequestMapping(\"/k\")\nclass K {\n  @GetMapping(\"/l\")\n  fun l() = 1\n}\n";
    assert_eq!(routes("K.kt", text), ["GET /k/l K.l"]);
    let text = "using Microsoft.AspNetCore.Mvc;\n[Route(\"api/[controller]\")]\npublic class UsersController {\n  [HttpGet(\"{id}\")]\n  public string One() => null;\n}\n";
    assert_eq!(routes("A.cs", text), ["GET /api/Users/{id} UsersController.One"]);
    let text =
        "class P { void M() { var api = app.MapGroup(\"api\"); api.MapGet(\"/a\", List); } }\n";
    assert_eq!(routes("B.cs", text), ["GET /api/a List"]);
}

#[test]
fn routes_of_laravel_and_rails() {
    let text = "<?php\nuse Illuminate\\Support\\Facades\\Route;\nRoute::prefix('api')->group(function () {\n  Route::get('a', [AController::class, 'list']);\n});\nRoute::post('b', BController::class);\n";
    assert_eq!(
        routes("routes/web.php", text),
        ["GET /api/a AController.list", "POST /b BController.__invoke"]
    );
    let text = "Rails.application.routes.draw do\n  root to: 'home#index'\n  namespace :admin do\n    resources :users, only: %i[ index show ] do\n      get :mail, on: :member\n      resources :keys, only: :index\n    end\n  end\n  get 'a', to: 'b#c'\nend\n";
    assert_eq!(
        routes("config/routes.rb", text),
        [
            "GET / HomeController.index",
            "GET /admin/users Admin.UsersController.index",
            "GET /admin/users/:id Admin.UsersController.show",
            "GET /admin/users/:id/mail Admin.UsersController.mail",
            "GET /admin/users/:user_id/keys Admin.KeysController.index",
            "GET /a BController.c",
        ]
    );
}

#[test]
fn a_prefix_can_be_a_constant_of_the_file() {
    let text = "import { Hono } from 'hono';\nconst BASE = '/v1';\nconst app = new Hono().basePath(BASE);\napp.get('/a', list);\n";
    assert_eq!(routes("a.ts", text), ["GET /v1/a list"]);
    let text = "from fastapi import APIRouter\nAPI = '/api'\nr = APIRouter(prefix=API)\n@r.get('/a')\ndef one(): pass\n";
    assert_eq!(routes("a.py", text), ["GET /api/a one"]);
    let text = "package a\nimport \"github.com/gin-gonic/gin\"\nconst API = \"/api\"\nfunc f(r *gin.Engine) {\n\tg := r.Group(API)\n\tg.GET(\"/a\", list)\n}\n";
    assert_eq!(routes("a.go", text), ["GET /api/a list"]);
    // A variable can change, and an expression is not evaluated.
    let text = "import { Hono } from 'hono';\nlet BASE = '/v1';\nconst NEXT = BASE + '/v2';\nconst a = new Hono().basePath(BASE);\na.get('/a', list);\nconst b = new Hono().basePath(NEXT);\nb.get('/b', list);\n";
    assert_eq!(routes("a.ts", text), ["GET /a list", "GET /b list"]);
}
