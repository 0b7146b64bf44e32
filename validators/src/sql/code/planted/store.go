package store

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
)

type Store struct{ db *sql.DB }

func (s *Store) Users(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	rows, err := s.db.Query("SELECT id FROM users WHERE name = '" + name + "'") // planted
	write(w, rows, err)
}

func (s *Store) Post(w http.ResponseWriter, r *http.Request) {
	row := s.db.QueryRow(fmt.Sprintf("SELECT id FROM posts WHERE slug = '%s'", r.FormValue("slug"))) // planted
	write(w, row, nil)
}

func (s *Store) ByMail(mail string) (*sql.Rows, error) {
	query := fmt.Sprintf(`SELECT id FROM users WHERE mail = '%s'`, mail)
	return s.db.Query(query) // planted
}

func (s *Store) Remove(id string) error {
	_, err := s.db.Exec("DELETE FROM carts WHERE id = " + id) // planted
	return err
}

func (s *Store) Search(ctx context.Context, term string) (*sql.Rows, error) {
	return s.db.QueryContext(ctx, fmt.Sprintf("SELECT id FROM posts WHERE title LIKE '%%%s%%'", term)) // planted
}

func (s *Store) Among(names []string) (*sql.Rows, error) {
	return s.db.Query("SELECT id FROM users WHERE name IN ('" + strings.Join(names, "','") + "')") // planted
}

func (s *Store) Filter(city string) (*sql.Rows, error) {
	query := "SELECT id FROM shops WHERE open"
	if city != "" {
		query += " AND city = '" + city + "'"
	}
	return s.db.Query(query) // planted
}

func (s *Store) Conditions(author string) (*sql.Rows, error) {
	conditions := []string{"published"}
	conditions = append(conditions, fmt.Sprintf("author = '%s'", author))
	return s.db.Query("SELECT id FROM posts WHERE " + strings.Join(conditions, " AND ")) // planted
}

func (s *Store) Build(state string) (*sql.Rows, error) {
	var b strings.Builder
	b.WriteString("SELECT id FROM orders WHERE state = '")
	b.WriteString(state)
	b.WriteString("'")
	return s.db.Query(b.String()) // planted
}

func (s *Store) Gorm(title string) {
	s.gorm.Where("title = '" + title + "'").Find(&posts) // planted
}
