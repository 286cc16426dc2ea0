// Adds the entries that Berth writes to the calendars of organizers, with rooms as resources
// (docs/decisions/0061-room-calendars.md).
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE organizer_entries (
      -- The key of the entry, which the rows of its rooms in calendar_entries have as well.
      key text CONSTRAINT organizer_entries__key PRIMARY KEY,
      -- No foreign key, so that the copies in the calendars of rooms are recognized after the event was deleted.
      event_id bigint NOT NULL,
      provider text NOT NULL CONSTRAINT organizer_entries__provider_known CHECK (provider IN ('microsoft', 'google')),
      -- The address of the organizer, in lowercase.
      mailbox text NOT NULL,
      -- The UID of RFC 5545, by which copies are recognized. Null until the provider has answered that the entry exists.
      uid text,
      -- The rooms that Berth has invited.
      rooms bigint[] NOT NULL DEFAULT '{}',
      -- The addresses of people whom the provider invites, in lowercase: Berth mails them no invitation.
      people text[] NOT NULL DEFAULT '{}',
      -- Whether the organizer has no mailbox, so that the entry is in the calendar of the room.
      is_missing boolean NOT NULL DEFAULT false,
      -- When Berth first asked the provider for the entry.
      asked_at timestamptz NOT NULL DEFAULT now(),
      ends_at timestamptz NOT NULL
    );
    CREATE INDEX organizer_entries__event_lookup ON organizer_entries (event_id);
    CREATE INDEX organizer_entries__uid_lookup ON organizer_entries (uid);
    CREATE INDEX organizer_entries__unanswered_lookup ON organizer_entries (mailbox) WHERE uid IS NULL AND NOT is_missing;
    CREATE INDEX organizer_entries__age_lookup ON organizer_entries (ends_at);
    -- The id that the entry of an organizer has in the calendar of the room.
    ALTER TABLE calendar_entries ADD COLUMN copy_id text;
  `

// The release before does not know these entries, and would cancel their meetings, because no calendar of a room has them.
export const down = sql`
    DELETE FROM calendar_entries WHERE key ~ '-meeting-(microsoft-|google-|)[0-9]+-[0-9]+(-[0-9]+|$)';
    ALTER TABLE calendar_entries DROP COLUMN copy_id;
    DROP TABLE organizer_entries;
  `
