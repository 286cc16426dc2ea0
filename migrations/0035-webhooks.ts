// Adds webhooks and their deliveries. A delivery refers to a change: its message is built from the outbox, in which the
// data of erased users is replaced.
import { sql } from './steps/sql.ts'

export const contracts =
  'The new check of tokens also allows the ability webhook-write. It refuses nothing that earlier releases write.'

const ABILITIES = "'read', 'user-write', 'object-write', 'booking-write'"

const allowAbilitiesSql = (abilities: string) => `
    ALTER TABLE tokens DROP CONSTRAINT tokens__abilities_known;
    ALTER TABLE tokens ADD CONSTRAINT tokens__abilities_known CHECK (abilities <@ ARRAY[${abilities}]) NOT VALID;`

export const up = sql`
    ${allowAbilitiesSql(`${ABILITIES}, 'webhook-write'`)}

    CREATE TABLE webhooks (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT webhooks__key PRIMARY KEY,
      url text NOT NULL CONSTRAINT webhooks__url_length CHECK (char_length(url) BETWEEN 1 AND 2048),
      description text NOT NULL DEFAULT '' CONSTRAINT webhooks__description_length CHECK (char_length(description) <= 255),
      types text[] NOT NULL,
      secret text NOT NULL,
      -- Until when the previous secret also signs, so that a receiver has a day to switch.
      previous_secret text,
      previous_secret_until timestamptz,
      enabled boolean NOT NULL DEFAULT true,
      disabled_reason text,
      -- The time since when no delivery has succeeded.
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
      -- The time of the next attempt; null if there is none.
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

    -- The single row has the position in the outbox up to which deliveries have been created.
    CREATE TABLE webhook_position (
      horizon bigint NOT NULL,
      sequence bigint NOT NULL,
      at timestamptz NOT NULL,
      is_only boolean NOT NULL DEFAULT true
        CONSTRAINT webhook_position__key PRIMARY KEY CONSTRAINT webhook_position__only CHECK (is_only)
    );
  `

// Reverting removes the webhook ability from tokens.
export const down = sql`
    DROP TABLE webhook_position, webhook_deliveries, webhooks;
    UPDATE tokens SET abilities = array_remove(abilities, 'webhook-write');
    ${allowAbilitiesSql(ABILITIES)}
  `
