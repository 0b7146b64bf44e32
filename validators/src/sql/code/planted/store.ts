import express from "express";
import { pool, prisma, knex, sequelize, database } from "./connections";

const app = express();

app.get("/users", async (req, res) => {
  const name = req.query.name;
  const found = await pool.query(`SELECT id FROM users WHERE name = '${name}'`); // planted
  res.json(found.rows);
});

app.post("/search", async (req, res) => {
  const { term } = req.body;
  const sql = "SELECT id, title FROM posts WHERE title LIKE '%" + term + "%'";
  res.json(await database.all(sql)); // planted
});

export async function byMail(mail: string) {
  return prisma.$queryRawUnsafe(`SELECT id FROM users WHERE mail = '${mail}'`); // planted
}

export async function remove(id: string) {
  await knex.raw("DELETE FROM carts WHERE id = " + id); // planted
}

export async function rename(id: number, title: string) {
  const assignments = [];
  assignments.push(`title = '${title}'`);
  await pool.query(`UPDATE posts SET ${assignments.join(", ")} WHERE id = ${id}`); // planted
}

export async function filter(filters: { city?: string }) {
  let query = "SELECT id FROM shops WHERE open";
  if (filters.city) {
    query += ` AND city = '${filters.city}'`;
  }
  return sequelize.query(query); // planted
}

export async function among(names: string[]) {
  const list = names.map((name) => `'${name}'`).join(",");
  return pool.query(`SELECT id FROM users WHERE name IN (${list})`); // planted
}

export class Orders {
  async state(state: string) {
    return this.repository.query(`SELECT id FROM orders WHERE state = '${state.trim()}'`); // planted
  }

  async of(customer: string) {
    return this.repository.createQueryBuilder("o").where(`o.customer = '${customer}'`).getMany(); // planted
  }
}

export const insert = async (note: string) =>
  pool.query({ text: "INSERT INTO notes (text) VALUES ('" + note + "')" }); // planted
