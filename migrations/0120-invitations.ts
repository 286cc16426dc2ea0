// Adds invitations to meetings: who gets mails about a meeting, and what the last mail said. Also adds names to
// attendees, for guests who have only an e-mail address. Migration 121 validates the constraints, and migrations 122,
// 123 and 125 add the indexes of mails.
import { sql } from './steps/sql.ts'

export const contracts =
  'Replaces checks of mails with checks that also allow mails about invitations. The new checks allow everything that earlier releases insert.'

const MAIL_KINDS = `'invitation', 'password', 'webhook-disabled', 'arrival', 'monthly-report', 'sign-in', 'confirmation', 'changed',
  'reminder', 'offer', 'approval'`

const mailChecksSql = (kinds: string, recipients: string, valid = '') => `
    ALTER TABLE mails
      DROP CONSTRAINT mails__kind_known, DROP CONSTRAINT mails__about_one, DROP CONSTRAINT mails__to_one;
    ALTER TABLE mails
      ADD CONSTRAINT mails__kind_known CHECK (kind IN (${kinds})) ${valid},
      ADD CONSTRAINT mails__about_one CHECK (num_nonnulls(link_hash, webhook_id, month, ${recipients}) = 1) ${valid},
      ADD CONSTRAINT mails__to_one CHECK (num_nonnulls(admin_id, ${recipients}) = 1) ${valid};`

export const up = sql`
    -- Whether the attendees get mails about the meeting: an invitation, and then a mail about each change.
    ALTER TABLE events ADD COLUMN invites boolean NOT NULL DEFAULT false;
    ALTER TABLE event_attendees
      -- The name that the inviter entered for a guest. Set for a user if the user hides from the inviter.
      ADD COLUMN name text,
      ADD COLUMN answered_at timestamptz,
      ADD CONSTRAINT event_attendees__name_length CHECK (char_length(name) BETWEEN 1 AND 255) NOT VALID;

    CREATE TABLE invitations (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT invitations__key PRIMARY KEY,
      event_id bigint NOT NULL CONSTRAINT invitations__event REFERENCES events ON DELETE CASCADE,
      -- Either a user or the address of a guest. The row stays until this person has got the mail that uninvites them.
      user_id bigint CONSTRAINT invitations__user REFERENCES users ON DELETE CASCADE,
      email text CONSTRAINT invitations__email_length CHECK (char_length(email) BETWEEN 3 AND 255),
      -- The content of the last mail about the meeting. Null before the first mail and after a cancellation.
      told jsonb,
      -- The SEQUENCE in the last mail, so that a later mail never has a lower one.
      sequence bigint NOT NULL DEFAULT 0,
      told_at timestamptz,
      -- The answer that the last mail to the organizer mentioned.
      told_answer smallint NOT NULL DEFAULT 0,
      CONSTRAINT invitations__user_or_guest CHECK ((user_id IS NULL) <> (email IS NULL))
    );
    CREATE UNIQUE INDEX invitations__user_once ON invitations (event_id, user_id) WHERE user_id IS NOT NULL;
    CREATE UNIQUE INDEX invitations__guest_once ON invitations (event_id, lower(email)) WHERE email IS NOT NULL;
    CREATE INDEX invitations__event_lookup ON invitations (event_id);
    CREATE INDEX invitations__user_lookup ON invitations (user_id) WHERE user_id IS NOT NULL;

    -- The links in invitations. People use them to answer without signing in.
    CREATE TABLE answer_links (
      hash bytea CONSTRAINT answer_links__key PRIMARY KEY,
      invitation_id bigint NOT NULL CONSTRAINT answer_links__invitation REFERENCES invitations ON DELETE CASCADE,
      -- The end of the meeting.
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX answer_links__invitation_lookup ON answer_links (invitation_id);
    CREATE INDEX answer_links__expiry ON answer_links (expires_at);

    -- A mail about a meeting belongs to an invitation. A mail about answers goes to user_id, the organizer of event_id.
    ALTER TABLE mails ADD COLUMN invitation_id bigint, ADD COLUMN event_id bigint;
    ALTER TABLE mails ADD CONSTRAINT mails__invitation
      FOREIGN KEY (invitation_id) REFERENCES invitations ON DELETE CASCADE NOT VALID;
    ${mailChecksSql(`${MAIL_KINDS}, 'meeting', 'answer'`, 'arrival_id, user_id, invitation_id', 'NOT VALID')}
  `

// Deletes mails that the previous release cannot send.
export const down = sql`
    DELETE FROM mails WHERE kind IN ('meeting', 'answer');
    ${mailChecksSql(MAIL_KINDS, 'arrival_id, user_id')}
    ALTER TABLE mails DROP COLUMN invitation_id, DROP COLUMN event_id;
    DROP TABLE answer_links, invitations;
    ALTER TABLE event_attendees DROP COLUMN name, DROP COLUMN answered_at;
    ALTER TABLE events DROP COLUMN invites;
  `
