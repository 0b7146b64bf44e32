package shop;

import java.sql.*;
import java.util.*;

class Store {
    private Connection connection;

    void users(HttpServletRequest request) throws SQLException {
        String name = request.getParameter("name");
        Statement statement = connection.createStatement();
        statement.executeQuery("SELECT id FROM users WHERE name = '" + name + "'"); // planted
    }

    @GetMapping("/posts/{slug}")
    Object post(@PathVariable String slug) {
        return jdbcTemplate.queryForList("SELECT id FROM posts WHERE slug = '" + slug + "'"); // planted
    }

    void byMail(String mail) throws SQLException {
        String sql = "SELECT id FROM users WHERE mail = '" + mail + "'";
        connection.prepareStatement(sql).executeQuery(); // planted
    }

    void remove(String id) throws SQLException {
        statement.executeUpdate(String.format("DELETE FROM carts WHERE id = '%s'", id)); // planted
    }

    void rename(String title) {
        entityManager.createNativeQuery("UPDATE posts SET title = '%s' WHERE id = 1".formatted(title)); // planted
    }

    void search(String term) {
        StringBuilder query = new StringBuilder("SELECT id FROM posts WHERE 1 = 1");
        if (term != null) {
            query.append(" AND title LIKE '%").append(term).append("%'");
        }
        jdbcTemplate.queryForList(query.toString()); // planted
    }

    void among(List<String> names) {
        jdbcTemplate.queryForList("SELECT id FROM users WHERE name IN ('" + String.join("','", names) + "')"); // planted
    }

    void filter(String city) {
        String query = "SELECT id FROM shops WHERE open";
        if (city != null) {
            query += " AND city = '" + city + "'";
        }
        entityManager.createNativeQuery(query).getResultList(); // planted
    }

    List<Order> orders(String customer) {
        return session.createQuery("from Order o where o.customer = '" + customer.trim() + "'").list(); // planted
    }

    void insert(String note) throws SQLException {
        connection.createStatement().execute("INSERT INTO notes (text) VALUES ('" + note + "')"); // planted
    }
}
