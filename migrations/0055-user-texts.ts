// Adds the texts with which searches find users: one text per user, with a trigram index. Writing the texts at once
// would double the time of imports. So triggers only record whose texts have changed, for all writers, and upkeep
// writes the texts.
import { sql } from './steps/sql.ts'

// The number of users in one record. Upkeep writes as many texts at a time.
const USERS_PER_RECORD = 2_000

export const up = sql`
    CREATE EXTENSION IF NOT EXISTS pg_trgm;

    CREATE TABLE user_texts (
      user_id bigint CONSTRAINT user_texts__key PRIMARY KEY
        CONSTRAINT user_texts__user REFERENCES users ON DELETE CASCADE,
      text text NOT NULL
    );
    CREATE INDEX user_texts__search ON user_texts USING gin (text gin_trgm_ops)
      -- Searches also read the users whose texts are pending.
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

    INSERT INTO changed_user_texts (user_ids) SELECT array_agg(id) FROM users GROUP BY id / ${String(USERS_PER_RECORD)};
  `

// Reverting keeps the extension, because other tables of the database may use it.
export const down = sql`
    DROP TRIGGER users__texts_inserted ON users;
    DROP TRIGGER users__texts_updated ON users;
    DROP TRIGGER vehicles__texts_inserted ON vehicles;
    DROP TRIGGER vehicles__texts_updated ON vehicles;
    DROP TRIGGER vehicles__texts_deleted ON vehicles;
    DROP FUNCTION note_changed_user_texts;
    DROP TABLE changed_user_texts, user_texts;
  `
