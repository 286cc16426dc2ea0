// Narrows a search of users to those who can match: those whose text in user_texts has the words, found by an index of
// trigrams, and those whose text upkeep has yet to write. The search itself still checks each of them, so a text that is
// out of date neither adds anybody nor leaves anybody out.
import type { Database } from '../limits/building-limits.ts'
import { likePattern } from './like-patterns.ts'

// Beyond this, reading all users takes no longer.
const USERS_MAX = 5_000
// The longest words are the rarest; each more costs another look into the index.
const WORDS_MAX = 3
// The index cannot find shorter words.
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u

/**
 * The ids of all users who have every word of one of the alternatives, and of some others, as the text of a bigint[].
 * Undefined if they are too many, or if an alternative has no word of three letters: then all users must be read.
 */
export async function findCandidates(
  database: Database,
  ...alternatives: string[][]
): Promise<string | undefined> {
  const known = alternatives.map((words) =>
    words
      .filter((word) => HAS_TRIGRAM.test(word))
      .sort((one, other) => other.length - one.length)
      .slice(0, WORDS_MAX),
  )
  if (known.some((words) => words.length === 0)) return undefined
  let value = 0
  const conditions = known.map((words) => words.map(() => `text LIKE lower($${++value}::text)`).join(' AND '))
  const { rows } = await database.query<{ number: number; ids: string }>({
    name: `find-candidates-${known.map((words) => words.length).join('-')}`,
    text: `SELECT count(*)::int AS number, '{' || coalesce(string_agg(user_id::text, ','), '') || '}' AS ids FROM (
      SELECT user_id FROM user_texts WHERE ${conditions.join(' OR ')}
      UNION ALL SELECT unnest(user_ids) FROM changed_user_texts LIMIT ${USERS_MAX + 1}
    ) AS found`,
    values: known.flat().map(likePattern),
  })
  const [found] = rows
  return found && found.number <= USERS_MAX ? found.ids : undefined
}
