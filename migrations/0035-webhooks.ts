// Webhooks and their deliveries. A delivery refers to its change: the message is built from the outbox, where
// the data of erased users is replaced.
import { sql } from './steps/sql.ts'

export const contracts =
  'A check of tokens gets wider by one ability, webhook-write: whatever the release before writes is still allowed.'

const ABILITIES = "'read', 'user-write', 'object-write', 'booking-write'"

const allow = (abilities: string) => `
    ALTER TABLE tokens DROP CONSTRAINT tokens__abilities_known;
    ALTER TABLE tokens ADD CONSTRAINT tokens__abilities_known CHECK (abilities <@ ARRAY[${abilities}]) NOT VALID;`

export const up = sql`
    ${allow(`${ABILITIES}, 'webhook-write'`)}

    CREATE TABLE webhooks (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT webhooks__key PRIMARY KEY,
      url text NOT NULL CONSTRAINT webhooks__url_length CHECK (char_length(url) BETWEEN 1 AND 2048),
      description text NOT NULL DEFAULT '' CONSTRAINT webhooks__description_length CHECK (char_length(description) <= 255),
      types text[] NOT NULL,
      secret text NOT NULL,
      -- Also signs until then, so that a receiver has a day to switch.
      previous_secret text,
      previous_secret_until timestamptz,
      enabled boolean NOT NULL DEFAULT true,
      disabled_reason text,
      -- No delivery has succeeded since then.
      failing_since timestamptz,
      base_url text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE webhook_deliveries (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT webhook_deliveries__key PRIMARY KEY,
      webhook_id bigint NOT NULL CONSTRAINT webhook_deliveries__webhook REFERENCES webhooks ON DELETE CASCADE,
      message uuid NOT NULL DEFAULT gen_random_uuid(),
      type text NOT NULL,
      change_horizon bigint NOT NULL,
      change_sequence bigint NOT NULL,
      change_at timestamptz NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      -- Time of the next attempt; null when it is over.
      next_at timestamptz DEFAULT now(),
      status integer,
      error text,
      answer text,
      took_ms integer,
      delivered_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX webhook_deliveries__webhook_lookup ON webhook_deliveries (webhook_id, id);
    CREATE INDEX webhook_deliveries__due_lookup ON webhook_deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
    CREATE INDEX webhook_deliveries__age_lookup ON webhook_deliveries (created_at);

    -- The position in the outbox up to which deliveries have been made: one row.
    CREATE TABLE webhook_position (
      horizon bigint NOT NULL,
      sequence bigint NOT NULL,
      at timestamptz NOT NULL,
      is_only boolean NOT NULL DEFAULT true
        CONSTRAINT webhook_position__key PRIMARY KEY CONSTRAINT webhook_position__only CHECK (is_only)
    );
  `

// Tokens lose the ability.
export const down = sql`
    DROP TABLE webhook_position, webhook_deliveries, webhooks;
    UPDATE tokens SET abilities = array_remove(abilities, 'webhook-write');
    ${allow(ABILITIES)}
  `
