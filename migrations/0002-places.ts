// Creates the tables of places: buildings have locations, and locations have bookables. A bookable has an integer id
// for the API and a UUID for the occupancy listing. Its position is a fraction of the floor plan's size, so that a
// larger picture can replace the plan.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE buildings (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT buildings__key PRIMARY KEY,
      name text NOT NULL CONSTRAINT buildings__name_length CHECK (char_length(name) BETWEEN 1 AND 255),
      address text NOT NULL DEFAULT ''
        CONSTRAINT buildings__address_length CHECK (char_length(address) <= 1000),
      timezone text NOT NULL DEFAULT 'UTC'
    );

    CREATE TABLE locations (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT locations__key PRIMARY KEY,
      building_id bigint NOT NULL CONSTRAINT locations__building REFERENCES buildings,
      name text NOT NULL CONSTRAINT locations__name_length CHECK (char_length(name) BETWEEN 1 AND 255),
      code text NOT NULL DEFAULT '' CONSTRAINT locations__code_length CHECK (char_length(code) <= 255),
      floor_plan bytea,
      floor_plan_type text,
      CONSTRAINT locations__floor_plan_whole CHECK ((floor_plan IS NULL) = (floor_plan_type IS NULL))
    );
    CREATE INDEX locations__building_lookup ON locations (building_id);

    CREATE TABLE bookables (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT bookables__key PRIMARY KEY,
      uuid uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT bookables__uuid_unique UNIQUE,
      location_id bigint NOT NULL CONSTRAINT bookables__location REFERENCES locations,
      name text NOT NULL CONSTRAINT bookables__name_length CHECK (char_length(name) BETWEEN 1 AND 255),
      description text CONSTRAINT bookables__description_length CHECK (char_length(description) <= 255),
      type smallint NOT NULL CONSTRAINT bookables__type_known CHECK (type BETWEEN 0 AND 3),
      status smallint NOT NULL DEFAULT 0 CONSTRAINT bookables__status_known CHECK (status BETWEEN 0 AND 2),
      tags text[] NOT NULL DEFAULT '{}' CONSTRAINT bookables__tags_number CHECK (cardinality(tags) <= 100),
      capacity integer CONSTRAINT bookables__capacity_range CHECK (capacity >= 0),
      integration_email text
        CONSTRAINT bookables__integration_email_length CHECK (char_length(integration_email) BETWEEN 3 AND 255),
      requires_vehicle boolean NOT NULL DEFAULT false,
      plan_x double precision CONSTRAINT bookables__plan_x_range CHECK (plan_x BETWEEN 0 AND 1),
      plan_y double precision CONSTRAINT bookables__plan_y_range CHECK (plan_y BETWEEN 0 AND 1),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT bookables__plan_whole CHECK ((plan_x IS NULL) = (plan_y IS NULL))
    );
    CREATE INDEX bookables__location_lookup ON bookables (location_id, id);
    CREATE UNIQUE INDEX bookables__integration_email_unique
      ON bookables (lower(integration_email)) WHERE integration_email IS NOT NULL;

    CREATE TABLE bookable_assignees (
      bookable_id bigint NOT NULL CONSTRAINT bookable_assignees__bookable REFERENCES bookables ON DELETE CASCADE,
      user_id bigint NOT NULL CONSTRAINT bookable_assignees__user REFERENCES users ON DELETE CASCADE,
      CONSTRAINT bookable_assignees__key PRIMARY KEY (bookable_id, user_id)
    );
    CREATE INDEX bookable_assignees__user_lookup ON bookable_assignees (user_id);
  `

export const down = sql`DROP TABLE bookable_assignees, bookables, locations, buildings`
