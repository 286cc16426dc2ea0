// Lets a token belong to a person, so that the token works for that person alone. As with buildings, the
// person's id is not a foreign key: if the person no longer exists, the token does not work, and erasing the
// person deletes the token. A program without a browser can request a token by showing a code, which somebody
// approves on another device (RFC 8628). Until then, the request has a row here, which contains no secret.
// There are so few tokens that the constraint is validated immediately.
import { sql } from './steps/sql.ts'

// Like every migration that validates a constraint, this one runs outside a transaction and is safe to repeat.
export const config = { transaction: false }

// Berth limits how long a migration waits for a table only if it runs in a transaction. So these scripts set the limit themselves.
// Postgres runs each script as one transaction.
const LIMIT_LOCK_WAIT_SQL = "SET LOCAL lock_timeout = '1s'"

export const up = sql`
    ${LIMIT_LOCK_WAIT_SQL};
    ALTER TABLE tokens ADD COLUMN IF NOT EXISTS user_id bigint;
    CREATE INDEX IF NOT EXISTS tokens__user_lookup ON tokens (user_id) WHERE user_id IS NOT NULL;
    DO $$ BEGIN
      ALTER TABLE tokens ADD CONSTRAINT tokens__personal_expires
        CHECK (user_id IS NULL OR expires_at IS NOT NULL) NOT VALID;
    EXCEPTION WHEN duplicate_object THEN NULL;
    END $$;
    ALTER TABLE tokens VALIDATE CONSTRAINT tokens__personal_expires;

    CREATE TABLE IF NOT EXISTS device_authorizations (
      device_code_hash bytea CONSTRAINT device_authorizations__key PRIMARY KEY,
      user_code_hash bytea NOT NULL CONSTRAINT device_authorizations__user_code_unique UNIQUE,
      client_id text NOT NULL CONSTRAINT device_authorizations__client_length
        CHECK (char_length(client_id) BETWEEN 1 AND 100),
      -- The program's name for the machine that it runs on.
      device_name text CONSTRAINT device_authorizations__name_length CHECK (char_length(device_name) BETWEEN 1 AND 100),
      abilities text[] NOT NULL CONSTRAINT device_authorizations__abilities_known
        CHECK (abilities <@ ARRAY['read', 'booking-write'] AND cardinality(abilities) > 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      -- The person who decided, and who owns the token. Without a user, the program was denied.
      decided_at timestamptz,
      admin_id bigint CONSTRAINT device_authorizations__admin REFERENCES admins ON DELETE CASCADE,
      user_id bigint CONSTRAINT device_authorizations__user REFERENCES users ON DELETE CASCADE,
      CONSTRAINT device_authorizations__approved CHECK (user_id IS NULL OR decided_at IS NOT NULL)
    );
    CREATE INDEX IF NOT EXISTS device_authorizations__expiry ON device_authorizations (expires_at);
    CREATE INDEX IF NOT EXISTS device_authorizations__admin_lookup ON device_authorizations (admin_id);
    CREATE INDEX IF NOT EXISTS device_authorizations__user_lookup ON device_authorizations (user_id)
  `

export const down = sql`
    ${LIMIT_LOCK_WAIT_SQL};
    DROP TABLE device_authorizations;
    ALTER TABLE tokens DROP COLUMN user_id
  `
