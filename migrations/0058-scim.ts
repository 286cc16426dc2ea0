// Stores what identity providers, but not Berth itself, know about users and groups: the provider's own ids,
// the parts of names, and which users the provider has deleted (docs/decisions/0053-scim.md).
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE provisioned_users (
      user_id bigint CONSTRAINT provisioned_users__key PRIMARY KEY
        CONSTRAINT provisioned_users__user REFERENCES users ON DELETE CASCADE,
      external_id text
        CONSTRAINT provisioned_users__external_id_length CHECK (char_length(external_id) BETWEEN 1 AND 255),
      given_name text
        CONSTRAINT provisioned_users__given_name_length CHECK (char_length(given_name) BETWEEN 1 AND 255),
      family_name text
        CONSTRAINT provisioned_users__family_name_length CHECK (char_length(family_name) BETWEEN 1 AND 255),
      -- The user's name when the provider sent its parts, which are ignored once the user has another name.
      parted_name text,
      updated_at timestamptz NOT NULL DEFAULT now(),
      deleted_at timestamptz
    );
    CREATE INDEX provisioned_users__external_id_lookup ON provisioned_users (external_id)
      WHERE external_id IS NOT NULL;

    CREATE TABLE provisioned_groups (
      group_id bigint CONSTRAINT provisioned_groups__key PRIMARY KEY
        CONSTRAINT provisioned_groups__group REFERENCES groups ON DELETE CASCADE,
      external_id text
        CONSTRAINT provisioned_groups__external_id_length CHECK (char_length(external_id) BETWEEN 1 AND 255)
    );
    CREATE INDEX provisioned_groups__external_id_lookup ON provisioned_groups (external_id)
      WHERE external_id IS NOT NULL;
  `

export const down = sql`DROP TABLE provisioned_groups, provisioned_users`
