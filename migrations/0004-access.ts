// Creates the tables for access: tokens of integrators, administrators and their sessions. Secrets are stored only as
// hashes.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE admins (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT admins__key PRIMARY KEY,
      email text NOT NULL CONSTRAINT admins__email_length CHECK (char_length(email) BETWEEN 3 AND 255),
      password_hash text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      disabled_at timestamptz
    );
    CREATE UNIQUE INDEX admins__email_unique ON admins (lower(email));

    CREATE TABLE sessions (
      hash bytea CONSTRAINT sessions__key PRIMARY KEY,
      admin_id bigint NOT NULL CONSTRAINT sessions__admin REFERENCES admins ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      address text,
      user_agent text
    );
    CREATE INDEX sessions__admin_lookup ON sessions (admin_id);
    CREATE INDEX sessions__expiry ON sessions (expires_at);

    CREATE TABLE tokens (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT tokens__key PRIMARY KEY,
      name text NOT NULL CONSTRAINT tokens__name_length CHECK (char_length(name) BETWEEN 1 AND 255),
      hash bytea NOT NULL CONSTRAINT tokens__hash_unique UNIQUE,
      abilities text[] NOT NULL CONSTRAINT tokens__abilities_known
        CHECK (abilities <@ ARRAY['read', 'user-write', 'object-write', 'booking-write']),
      rate_limit_per_minute integer CONSTRAINT tokens__rate_limit_positive CHECK (rate_limit_per_minute > 0),
      created_by text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      requests bigint NOT NULL DEFAULT 0
    );
  `

export const down = sql`DROP TABLE tokens, sessions, admins`
