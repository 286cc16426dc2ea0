// Adds the calendars of rooms at Microsoft 365, Google Workspace and CalDAV servers. A calendar is read and written by the
// process `hooks` (docs/decisions/0061-room-calendars.md).
import { sql } from './steps/sql.ts'

export const up = sql`
    -- The providers that a running process has settings for. The process lists their rooms for the dashboard.
    CREATE TABLE calendar_providers (
      provider text CONSTRAINT calendar_providers__key PRIMARY KEY
        CONSTRAINT calendar_providers__known CHECK (provider IN ('microsoft', 'google', 'caldav')),
      -- When a process that has settings for this provider last ran.
      seen_at timestamptz NOT NULL DEFAULT now(),
      rooms_listed_at timestamptz,
      next_list_at timestamptz NOT NULL DEFAULT now(),
      fault_kind text,
      fault jsonb,
      fault_since timestamptz
    );
    CREATE TABLE provider_rooms (
      provider text NOT NULL CONSTRAINT provider_rooms__provider REFERENCES calendar_providers ON DELETE CASCADE,
      calendar text NOT NULL,
      address text,
      name text NOT NULL,
      capacity integer,
      CONSTRAINT provider_rooms__key PRIMARY KEY (provider, calendar)
    );

    CREATE TABLE room_calendars (
      bookable_id bigint CONSTRAINT room_calendars__key PRIMARY KEY
        CONSTRAINT room_calendars__bookable REFERENCES bookables ON DELETE CASCADE,
      provider text NOT NULL CONSTRAINT room_calendars__provider_known CHECK (provider IN ('microsoft', 'google', 'caldav')),
      -- The address of the mailbox, or the path of a CalDAV calendar.
      calendar text NOT NULL CONSTRAINT room_calendars__calendar_length CHECK (char_length(calendar) BETWEEN 1 AND 1000),
      -- How entries written to the calendar name people.
      names text NOT NULL DEFAULT 'full' CONSTRAINT room_calendars__names_known CHECK (names IN ('full', 'initials', 'none')),
      linked_at timestamptz NOT NULL DEFAULT now(),
      -- Whether somebody unlinked the calendar. The process ends the notifications, and then deletes the row.
      is_ending boolean NOT NULL DEFAULT false,

      -- What the next reading begins with, and the period that it covers. Null before the first reading.
      position text,
      period tstzrange,
      -- The number of the last reading that began at the beginning. Entries that it did not name are gone once it is complete.
      reading integer NOT NULL DEFAULT 0,
      is_complete boolean NOT NULL DEFAULT false,
      read_at timestamptz,
      next_read_at timestamptz NOT NULL DEFAULT now(),

      -- When to compare the calendar with the claims of the room. Null if nothing has changed since the last comparison.
      next_write_at timestamptz DEFAULT now(),
      -- When both sides last said the same.
      in_step_at timestamptz,
      failures integer NOT NULL DEFAULT 0,
      fault_kind text,
      fault jsonb,
      fault_since timestamptz,

      watch text,
      watch_secret text,
      watch_ends_at timestamptz,
      next_watch_at timestamptz NOT NULL DEFAULT now(),

      -- When to look again at entries that were queued and are not applied yet. Null if there are none.
      next_apply_at timestamptz,
      -- Nothing is tried before this time, because the provider failed or asked for a pause.
      retry_at timestamptz,

      -- The process that works on this calendar. A process that ends without releasing it has no time to say what is left to do,
      -- so the next one does everything.
      lease uuid,
      leased_until timestamptz NOT NULL DEFAULT now(),
      due_at timestamptz GENERATED ALWAYS AS (
        CASE WHEN lease IS NOT NULL THEN leased_until
          ELSE greatest(retry_at, CASE WHEN is_ending THEN linked_at
            ELSE least(next_read_at, next_write_at, next_watch_at, next_apply_at) END) END
      ) STORED,
      CONSTRAINT room_calendars__calendar_once UNIQUE (provider, calendar)
    );
    CREATE UNIQUE INDEX room_calendars__watch_once ON room_calendars (watch);
    CREATE INDEX room_calendars__due_lookup ON room_calendars (provider, due_at);

    CREATE TABLE calendar_entries (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT calendar_entries__key PRIMARY KEY,
      bookable_id bigint NOT NULL CONSTRAINT calendar_entries__calendar REFERENCES room_calendars ON DELETE CASCADE,
      -- The provider's id. Null until the provider has answered that the entry exists.
      entry_id text,
      series text,
      uid text,
      -- Set on entries that Berth writes: the provider creates at most one entry with the same key.
      key text,
      -- What the entry is in Berth: an event, or a booking of a person. Neither is a foreign key, so that the entry of a
      -- deleted booking can still be removed from the calendar.
      event_id bigint,
      booking_id bigint,
      during tstzrange,
      version text,
      -- The entry as it was last read. Null before that.
      seen jsonb,
      -- What both sides last agreed on: of an entry that Berth writes, its content as it was last sent; of another one, its
      -- content as Berth last applied it.
      base jsonb,
      reading integer NOT NULL DEFAULT 0,
      -- Counts the changes of the entry outside Berth. Identifies the attempt of the job that applies one.
      revision integer NOT NULL DEFAULT 0,
      -- Set while a change from outside is still to be applied.
      pending_since timestamptz,
      queued_at timestamptz,
      -- How often this revision was queued.
      tries integer NOT NULL DEFAULT 0,
      -- Why Berth does not hold the time of this entry.
      conflict jsonb,
      conflict_since timestamptz,
      -- Whether the provider took the refusal, or cannot decline this entry.
      decline text CONSTRAINT calendar_entries__decline_known CHECK (decline IN ('declined', 'impossible')),
      -- What could not be written, and when it is tried again.
      failures integer NOT NULL DEFAULT 0,
      fault jsonb,
      next_write_at timestamptz,
      CONSTRAINT calendar_entries__id_or_key CHECK (entry_id IS NOT NULL OR key IS NOT NULL),
      CONSTRAINT calendar_entries__event_or_booking CHECK (event_id IS NULL OR booking_id IS NULL)
    );
    CREATE UNIQUE INDEX calendar_entries__entry_once ON calendar_entries (bookable_id, entry_id);
    CREATE UNIQUE INDEX calendar_entries__key_once ON calendar_entries (bookable_id, key) WHERE key IS NOT NULL;
    CREATE INDEX calendar_entries__series_lookup ON calendar_entries (bookable_id, series) WHERE series IS NOT NULL;
    CREATE INDEX calendar_entries__uid_lookup ON calendar_entries (uid) WHERE key IS NULL;
    CREATE INDEX calendar_entries__event_lookup ON calendar_entries (event_id) WHERE event_id IS NOT NULL;
    CREATE INDEX calendar_entries__booking_lookup ON calendar_entries (booking_id) WHERE booking_id IS NOT NULL;
    CREATE INDEX calendar_entries__pending_lookup ON calendar_entries (bookable_id, pending_since)
      WHERE pending_since IS NOT NULL;
    CREATE INDEX calendar_entries__conflict_lookup ON calendar_entries (bookable_id) WHERE conflict IS NOT NULL;
    CREATE INDEX calendar_entries__age_lookup ON calendar_entries (upper(during));

    -- How far the outbox was followed to find rooms whose calendar must be compared.
    CREATE TABLE calendar_position (
      is_only boolean CONSTRAINT calendar_position__key PRIMARY KEY DEFAULT true CONSTRAINT calendar_position__only CHECK (is_only),
      horizon bigint NOT NULL,
      sequence bigint NOT NULL,
      at timestamptz NOT NULL
    );

    -- The series of another system that events belong to, such as a recurring meeting in Outlook.
    CREATE TABLE calendar_series (
      uid text CONSTRAINT calendar_series__key PRIMARY KEY,
      series_id bigint NOT NULL CONSTRAINT calendar_series__series REFERENCES series ON DELETE CASCADE
    );
    CREATE INDEX calendar_series__series_lookup ON calendar_series (series_id);

    -- The person who organizes meetings whose organizer Berth does not know.
    CREATE TABLE unknown_organizer (
      is_only boolean CONSTRAINT unknown_organizer__key PRIMARY KEY DEFAULT true CONSTRAINT unknown_organizer__only CHECK (is_only),
      user_id bigint NOT NULL CONSTRAINT unknown_organizer__user REFERENCES users ON DELETE CASCADE
    );
    CREATE INDEX unknown_organizer__user_lookup ON unknown_organizer (user_id);
  `

export const down = sql`
    DROP TABLE unknown_organizer, calendar_series, calendar_position, calendar_entries, room_calendars, provider_rooms,
      calendar_providers;
  `
