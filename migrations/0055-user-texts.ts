// What searches look through to find users: one text for each, with an index of its trigrams. Imports would take
// twice as long if they kept it, so triggers only note whose texts have changed, for all writers, and upkeep writes them.
import { sql } from './steps/sql.ts'

// Users of one note; upkeep writes as many texts at a time.
const NOTED_AT_ONCE = 2_000

export const up = sql`
    CREATE EXTENSION IF NOT EXISTS pg_trgm;

    CREATE TABLE user_texts (
      user_id bigint CONSTRAINT user_texts__key PRIMARY KEY
        CONSTRAINT user_texts__user REFERENCES users ON DELETE CASCADE,
      text text NOT NULL
    );
    CREATE INDEX user_texts__search ON user_texts USING gin (text gin_trgm_ops)
      -- A search reads what is pending.
      WITH (gin_pending_list_limit = 512);

    CREATE TABLE changed_user_texts (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT changed_user_texts__key PRIMARY KEY,
      user_ids bigint[] NOT NULL
    );

    CREATE FUNCTION note_changed_user_texts() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE ids bigint[];
      BEGIN
        IF TG_TABLE_NAME = 'users' AND TG_OP = 'INSERT' THEN
          SELECT array_agg(id) INTO ids FROM after;
        ELSIF TG_TABLE_NAME = 'users' THEN
          SELECT array_agg(after.id) INTO ids FROM after JOIN before ON before.id = after.id
          WHERE (after.name, after.email, after.upn) IS DISTINCT FROM (before.name, before.email, before.upn);
        ELSIF TG_OP = 'INSERT' THEN
          SELECT array_agg(DISTINCT user_id) INTO ids FROM after;
        ELSIF TG_OP = 'DELETE' THEN
          SELECT array_agg(DISTINCT user_id) INTO ids FROM before;
        ELSE
          SELECT array_agg(user_id) INTO ids FROM (SELECT user_id FROM before UNION SELECT user_id FROM after) AS changed;
        END IF;
        INSERT INTO changed_user_texts (user_ids) SELECT ids WHERE ids IS NOT NULL;
        RETURN NULL;
      END $$;
    CREATE TRIGGER users__texts_inserted AFTER INSERT ON users REFERENCING NEW TABLE AS after
      FOR EACH STATEMENT EXECUTE FUNCTION note_changed_user_texts();
    CREATE TRIGGER users__texts_updated AFTER UPDATE ON users REFERENCING OLD TABLE AS before NEW TABLE AS after
      FOR EACH STATEMENT EXECUTE FUNCTION note_changed_user_texts();
    CREATE TRIGGER vehicles__texts_inserted AFTER INSERT ON vehicles REFERENCING NEW TABLE AS after
      FOR EACH STATEMENT EXECUTE FUNCTION note_changed_user_texts();
    CREATE TRIGGER vehicles__texts_updated AFTER UPDATE ON vehicles REFERENCING OLD TABLE AS before NEW TABLE AS after
      FOR EACH STATEMENT EXECUTE FUNCTION note_changed_user_texts();
    CREATE TRIGGER vehicles__texts_deleted AFTER DELETE ON vehicles REFERENCING OLD TABLE AS before
      FOR EACH STATEMENT EXECUTE FUNCTION note_changed_user_texts();

    INSERT INTO changed_user_texts (user_ids) SELECT array_agg(id) FROM users GROUP BY id / ${String(NOTED_AT_ONCE)};
  `

// The extension stays: other tables of the database may use it.
export const down = sql`
    DROP TRIGGER users__texts_inserted ON users;
    DROP TRIGGER users__texts_updated ON users;
    DROP TRIGGER vehicles__texts_inserted ON vehicles;
    DROP TRIGGER vehicles__texts_updated ON vehicles;
    DROP TRIGGER vehicles__texts_deleted ON vehicles;
    DROP FUNCTION note_changed_user_texts;
    DROP TABLE changed_user_texts, user_texts;
  `
