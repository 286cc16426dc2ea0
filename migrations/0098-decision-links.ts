// Adds the links in mails to approvers. Each link decides one request, without signing in.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE decision_links (
      hash bytea CONSTRAINT decision_links__key PRIMARY KEY,
      hold_id bigint NOT NULL CONSTRAINT decision_links__hold REFERENCES holds ON DELETE CASCADE,
      user_id bigint NOT NULL CONSTRAINT decision_links__user REFERENCES users ON DELETE CASCADE,
      -- The hold of the request.
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX decision_links__hold_lookup ON decision_links (hold_id);
    CREATE INDEX decision_links__user_lookup ON decision_links (user_id);
    CREATE INDEX decision_links__expiry ON decision_links (expires_at);
  `

export const down = sql`DROP TABLE decision_links`
