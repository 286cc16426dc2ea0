// Stores the language of each person's first sign-in. Mails to the person use this language until the person
// chooses one (person_settings).
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE person_languages (
      user_id bigint CONSTRAINT person_languages__key PRIMARY KEY
        CONSTRAINT person_languages__user REFERENCES users ON DELETE CASCADE,
      language text NOT NULL CONSTRAINT person_languages__language_length CHECK (char_length(language) BETWEEN 2 AND 35)
    );
  `

export const down = sql`DROP TABLE person_languages;`
