// Adds notifications to browsers (Web Push): the subscriptions of browsers, the kinds of notifications that each person
// wants, the queue of pushes to people, and the deliveries to each browser.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE person_settings ADD COLUMN pushed_kinds text[] NOT NULL DEFAULT '{}';

    CREATE TABLE push_subscriptions (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT push_subscriptions__key PRIMARY KEY,
      user_id bigint NOT NULL CONSTRAINT push_subscriptions__user REFERENCES users ON DELETE CASCADE,
      -- The session of the browser. When it ends, the browser gets no more notifications.
      session_hash bytea NOT NULL CONSTRAINT push_subscriptions__session REFERENCES person_sessions ON DELETE CASCADE,
      -- The address at the browser's push service. It is secret: together with the keys, it allows sending notifications.
      endpoint text NOT NULL CONSTRAINT push_subscriptions__endpoint_length CHECK (char_length(endpoint) BETWEEN 1 AND 1024),
      p256dh text NOT NULL CONSTRAINT push_subscriptions__p256dh_length CHECK (char_length(p256dh) BETWEEN 1 AND 128),
      auth text NOT NULL CONSTRAINT push_subscriptions__auth_length CHECK (char_length(auth) BETWEEN 1 AND 64),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT push_subscriptions__endpoint_once UNIQUE (endpoint)
    );
    CREATE INDEX push_subscriptions__user_lookup ON push_subscriptions (user_id, id);
    CREATE INDEX push_subscriptions__session_lookup ON push_subscriptions (session_hash);

    -- The queue of pushes to people. Columns that also exist in the table mails have the same meaning.
    CREATE TABLE pushes (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pushes__key PRIMARY KEY,
      kind text NOT NULL CONSTRAINT pushes__kind_known CHECK (kind IN ('reminder', 'changed', 'offer', 'approval')),
      user_id bigint NOT NULL CONSTRAINT pushes__user REFERENCES users ON DELETE CASCADE,
      booking_ids bigint[],
      lost_rooms jsonb,
      hold_id bigint,
      deadline timestamptz,
      change_attempt uuid,
      actor_type text,
      actor_id bigint,
      attempts integer NOT NULL DEFAULT 0,
      -- When Berth turns the push into deliveries. Null after that.
      next_at timestamptz DEFAULT now(),
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX pushes__due_lookup ON pushes (next_at) WHERE next_at IS NOT NULL;
    CREATE INDEX pushes__user_lookup ON pushes (user_id);
    CREATE INDEX pushes__age_lookup ON pushes (created_at);
    CREATE UNIQUE INDEX pushes__attempt_once ON pushes (user_id, kind, change_attempt)
      WHERE change_attempt IS NOT NULL AND attempts = 0;
    CREATE UNIQUE INDEX pushes__reminder_once ON pushes (booking_ids, deadline) WHERE kind = 'reminder';
    CREATE UNIQUE INDEX pushes__hold_once ON pushes (hold_id, user_id) WHERE hold_id IS NOT NULL;

    -- The bookings of each person as the last push described them, like told_bookings for mails.
    CREATE TABLE pushed_bookings (
      user_id bigint NOT NULL CONSTRAINT pushed_bookings__user REFERENCES users ON DELETE CASCADE,
      booking_id bigint NOT NULL,
      bookable_id bigint,
      during tstzrange,
      told_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT pushed_bookings__key PRIMARY KEY (user_id, booking_id),
      CONSTRAINT pushed_bookings__whole CHECK ((bookable_id IS NULL) = (during IS NULL))
    );
    CREATE INDEX pushed_bookings__age_lookup ON pushed_bookings (told_at);

    -- A process deletes the row before it sends the notification, so that no notification is sent twice.
    CREATE TABLE push_deliveries (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT push_deliveries__key PRIMARY KEY,
      subscription_id bigint NOT NULL
        CONSTRAINT push_deliveries__subscription REFERENCES push_subscriptions ON DELETE CASCADE,
      -- The content of the notification, and the page that it opens.
      payload text NOT NULL,
      -- A notification replaces an earlier one with the same topic.
      topic text NOT NULL,
      is_urgent boolean NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      next_at timestamptz NOT NULL DEFAULT now(),
      -- When the notification is out of date.
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX push_deliveries__due_lookup ON push_deliveries (next_at);
    CREATE INDEX push_deliveries__expiry ON push_deliveries (expires_at);
    CREATE INDEX push_deliveries__subscription_lookup ON push_deliveries (subscription_id);

    CREATE TABLE push_position (
      horizon bigint NOT NULL,
      sequence bigint NOT NULL,
      at timestamptz NOT NULL,
      is_only boolean NOT NULL DEFAULT true
        CONSTRAINT push_position__key PRIMARY KEY CONSTRAINT push_position__only CHECK (is_only)
    );
    INSERT INTO push_position (horizon, sequence, at)
      VALUES (changes_offset() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 0, now());
  `

export const down = sql`
    DROP TABLE push_position, push_deliveries, pushed_bookings, pushes, push_subscriptions;
    ALTER TABLE person_settings DROP COLUMN pushed_kinds;
  `
