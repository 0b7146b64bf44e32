from flask import Flask, request
from sqlalchemy import text

from .connections import connection, cursor, session

app = Flask(__name__)


@app.route("/users")
def users():
    name = request.args.get("name")
    cursor.execute(f"SELECT id FROM users WHERE name = '{name}'")  # planted
    return cursor.fetchall()


@app.get("/posts/<slug>")
def post(slug):
    return session.execute(text("SELECT id FROM posts WHERE slug = '%s'" % slug)).all()  # planted


def by_mail(mail):
    cursor.execute("SELECT id FROM users WHERE mail = '" + mail + "'")  # planted


def remove(cart: str):
    connection.execute("DELETE FROM carts WHERE id = '{}'".format(cart))  # planted


def search(term, author=None):
    query = "SELECT id FROM posts WHERE title IS NOT NULL"
    if author:
        query += f" AND author = '{author}'"
    cursor.execute(query)  # planted


def among(names):
    listed = ", ".join(f"'{name}'" for name in names)
    cursor.execute(f"SELECT id FROM users WHERE name IN ({listed})")  # planted


def filtered(city):
    conditions = ["open"]
    conditions.append("city = '%s'" % city)
    cursor.execute("SELECT id FROM shops WHERE " + " AND ".join(conditions))  # planted


class Orders:
    def state(self, state: str):
        statement = "UPDATE orders SET state = '{state}' WHERE id = 1".format(state=state)
        self.cursor.execute(statement)  # planted

    async def customer(self, name: str):
        return await self.pool.fetch(f"SELECT id FROM orders WHERE customer = '{name.lower()}'")  # planted


def raw(model, title):
    return model.objects.raw("SELECT * FROM posts WHERE title = '" + title + "'")  # planted
