// Adds the tables for people's own pages: sessions, single-use sign-in links, personal settings, and favourite
// colleagues. Migration 84 validates the constraints.
import { sql } from './steps/sql.ts'

export const contracts =
  'Replaces checks with checks that also allow people as authors and recipients. They refuse nothing that earlier releases insert.'

const MAIL_KINDS = `'invitation', 'password', 'webhook-disabled', 'arrival', 'monthly-report'`

const mailChecksSql = (kinds: string, subjects: string, recipient: string, valid = '') => `
    ALTER TABLE mails
      DROP CONSTRAINT mails__kind_known, DROP CONSTRAINT mails__about_one, DROP CONSTRAINT mails__to_one;
    ALTER TABLE mails
      ADD CONSTRAINT mails__kind_known CHECK (kind IN (${kinds})) ${valid},
      ADD CONSTRAINT mails__about_one CHECK (num_nonnulls(${subjects}) = 1) ${valid},
      ADD CONSTRAINT mails__to_one CHECK (${recipient}) ${valid};`

const actorChecksSql = (types: string) => `
    ALTER TABLE audit_log DROP CONSTRAINT audit_log__actor_type_known;
    ALTER TABLE audit_log ADD CONSTRAINT audit_log__actor_type_known CHECK (actor_type IN (${types})) NOT VALID;`

export const up = sql`
    CREATE TABLE person_sessions (
      hash bytea CONSTRAINT person_sessions__key PRIMARY KEY,
      user_id bigint NOT NULL CONSTRAINT person_sessions__user REFERENCES users ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      address text,
      user_agent text
    );
    CREATE INDEX person_sessions__user_lookup ON person_sessions (user_id);
    CREATE INDEX person_sessions__expiry ON person_sessions (expires_at);

    CREATE TABLE sign_in_links (
      hash bytea CONSTRAINT sign_in_links__key PRIMARY KEY,
      user_id bigint NOT NULL CONSTRAINT sign_in_links__user REFERENCES users ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX sign_in_links__user_lookup ON sign_in_links (user_id);
    CREATE INDEX sign_in_links__expiry ON sign_in_links (expires_at);

    -- Only people who have changed a setting have a row. Everybody sees all others, who get every mail.
    CREATE TABLE person_settings (
      user_id bigint CONSTRAINT person_settings__key PRIMARY KEY
        CONSTRAINT person_settings__user REFERENCES users ON DELETE CASCADE,
      visibility text NOT NULL DEFAULT 'everybody'
        CONSTRAINT person_settings__visibility_known CHECK (visibility IN ('everybody', 'groups', 'nobody')),
      -- The language of mails; null means English.
      language text CONSTRAINT person_settings__language_length CHECK (char_length(language) BETWEEN 2 AND 35),
      -- The kinds of mail that the person does not want.
      muted_mails text[] NOT NULL DEFAULT '{}'
    );

    CREATE TABLE favourite_colleagues (
      user_id bigint NOT NULL CONSTRAINT favourite_colleagues__user REFERENCES users ON DELETE CASCADE,
      colleague_id bigint NOT NULL CONSTRAINT favourite_colleagues__colleague REFERENCES users ON DELETE CASCADE,
      CONSTRAINT favourite_colleagues__key PRIMARY KEY (user_id, colleague_id)
    );
    CREATE INDEX favourite_colleagues__colleague_lookup ON favourite_colleagues (colleague_id);

    ALTER TABLE mails ADD COLUMN user_id bigint;
    ALTER TABLE mails ADD CONSTRAINT mails__user FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE NOT VALID;
    CREATE INDEX mails__user_lookup ON mails (user_id, id) WHERE user_id IS NOT NULL;
    ${mailChecksSql(
      `${MAIL_KINDS}, 'sign-in'`,
      'link_hash, webhook_id, arrival_id, month, user_id',
      'num_nonnulls(admin_id, arrival_id, user_id) = 1',
      'NOT VALID',
    )}
    ${actorChecksSql("'token', 'admin', 'user', 'system'")}
  `

// Reverting deletes rows that the previous release cannot read.
export const down = sql`
    DELETE FROM mails WHERE user_id IS NOT NULL;
    ${mailChecksSql(MAIL_KINDS, 'link_hash, webhook_id, arrival_id, month', '(admin_id IS NULL) = (arrival_id IS NOT NULL)')}
    ALTER TABLE mails DROP COLUMN user_id;
    UPDATE audit_log SET actor_type = 'system' WHERE actor_type = 'user';
    ${actorChecksSql("'token', 'admin', 'system'")}
    DROP TABLE favourite_colleagues, person_settings, sign_in_links, person_sessions;
  `
