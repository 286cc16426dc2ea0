// Adds the identities of administrators at the identity provider, and the mail queue. A mail stores its recipient and
// its subject matter, but no addresses or links.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE admin_identities (
      issuer text NOT NULL,
      subject text NOT NULL,
      admin_id bigint NOT NULL CONSTRAINT admin_identities__admin REFERENCES admins ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT admin_identities__key PRIMARY KEY (issuer, subject),
      CONSTRAINT admin_identities__one_of_issuer UNIQUE (admin_id, issuer)
    );

    CREATE TABLE mails (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT mails__key PRIMARY KEY,
      kind text NOT NULL CONSTRAINT mails__kind_known CHECK (kind IN ('invitation', 'password', 'webhook-disabled')),
      admin_id bigint NOT NULL CONSTRAINT mails__admin REFERENCES admins ON DELETE CASCADE,
      -- The link shown on the page. Once it is used or replaced, no mail with another link is sent.
      link_hash bytea CONSTRAINT mails__link REFERENCES admin_links ON DELETE CASCADE,
      webhook_id bigint CONSTRAINT mails__webhook REFERENCES webhooks ON DELETE CASCADE,
      message uuid NOT NULL DEFAULT gen_random_uuid(),
      attempts integer NOT NULL DEFAULT 0,
      -- The time of the next attempt; null if there is none.
      next_at timestamptz DEFAULT now(),
      error text,
      sent_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT mails__about_one CHECK (num_nonnulls(link_hash, webhook_id) = 1)
    );
    CREATE INDEX mails__due_lookup ON mails (next_at) WHERE next_at IS NOT NULL;
    CREATE INDEX mails__admin_lookup ON mails (admin_id, id);
    CREATE INDEX mails__link_lookup ON mails (link_hash) WHERE link_hash IS NOT NULL;
    CREATE INDEX mails__webhook_lookup ON mails (webhook_id) WHERE webhook_id IS NOT NULL;
    CREATE INDEX mails__age_lookup ON mails (created_at);
  `

export const down = sql`DROP TABLE mails, admin_identities`
