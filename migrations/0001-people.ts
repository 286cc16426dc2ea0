// Creates users, their groups and vehicles. E-mails are unique regardless of case, even those of deactivated users, so
// that restoring a user can never conflict with another user.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE users (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT users__key PRIMARY KEY,
      name text NOT NULL CONSTRAINT users__name_length CHECK (char_length(name) BETWEEN 1 AND 255),
      email text NOT NULL CONSTRAINT users__email_length CHECK (char_length(email) BETWEEN 3 AND 255),
      upn text CONSTRAINT users__upn_length CHECK (char_length(upn) BETWEEN 1 AND 255),
      extension_attributes jsonb NOT NULL DEFAULT '{}'
        CONSTRAINT users__extension_attributes_object CHECK (jsonb_typeof(extension_attributes) = 'object'),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      deactivated_at timestamptz
    );
    CREATE UNIQUE INDEX users__email_unique ON users (lower(email));
    CREATE UNIQUE INDEX users__upn_unique ON users (lower(upn)) WHERE upn IS NOT NULL;

    CREATE TABLE groups (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT groups__key PRIMARY KEY,
      name text NOT NULL CONSTRAINT groups__name_unique UNIQUE
        CONSTRAINT groups__name_length CHECK (char_length(name) BETWEEN 1 AND 255)
    );

    CREATE TABLE group_members (
      group_id bigint NOT NULL CONSTRAINT group_members__group REFERENCES groups ON DELETE CASCADE,
      user_id bigint NOT NULL CONSTRAINT group_members__user REFERENCES users ON DELETE CASCADE,
      CONSTRAINT group_members__key PRIMARY KEY (group_id, user_id)
    );
    CREATE INDEX group_members__user_lookup ON group_members (user_id);

    CREATE TABLE vehicles (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT vehicles__key PRIMARY KEY,
      user_id bigint NOT NULL CONSTRAINT vehicles__user REFERENCES users ON DELETE CASCADE,
      license_plate text NOT NULL
        CONSTRAINT vehicles__license_plate_length CHECK (char_length(license_plate) BETWEEN 1 AND 255),
      CONSTRAINT vehicles__license_plate_unique UNIQUE (user_id, license_plate)
    );
  `

export const down = sql`DROP TABLE vehicles, group_members, groups, users`
