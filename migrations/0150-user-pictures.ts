// Stores a small picture of each person who has one. The person uploads it, or Berth fetches it from an address that
// the identity provider gives. A person may also choose to have no picture.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE user_pictures (
      user_id bigint CONSTRAINT user_pictures__key PRIMARY KEY
        CONSTRAINT user_pictures__user REFERENCES users ON DELETE CASCADE,
      source text NOT NULL CONSTRAINT user_pictures__source_known CHECK (source IN ('person', 'provider')),
      picture bytea CONSTRAINT user_pictures__picture_size CHECK (octet_length(picture) BETWEEN 1 AND 65536),
      sha256 bytea,
      provider_url text CONSTRAINT user_pictures__provider_url_length
        CHECK (char_length(provider_url) BETWEEN 1 AND 2000),
      fetch_at timestamptz,
      fetch_tries smallint NOT NULL DEFAULT 0,
      fetched_at timestamptz,
      CONSTRAINT user_pictures__picture_whole CHECK ((picture IS NULL) = (sha256 IS NULL)),
      CONSTRAINT user_pictures__fetch_from CHECK (fetch_at IS NULL OR provider_url IS NOT NULL)
    );
    -- Turns off compression, because the pictures are already compressed.
    ALTER TABLE user_pictures ALTER COLUMN picture SET STORAGE EXTERNAL;
    CREATE INDEX user_pictures__fetch_lookup ON user_pictures (fetch_at) WHERE fetch_at IS NOT NULL;
  `

export const down = sql`DROP TABLE user_pictures`
