// Narrows a search of users to those who can match: users whose text in user_texts contains the words (found
// by a trigram index), and users whose text upkeep has not written yet. The search itself still checks each
// of these users, so an outdated text neither adds nor omits anybody.
import type { LimitedDatabase } from '../limits/building-limits.ts'
import { toLikePattern } from './like-patterns.ts'

// The maximum number of candidates. Above this number, reading all users is as fast.
const CANDIDATE_USERS_MAX = 5_000
// How many words of a search are looked up. The longest words are looked up first, because they are the
// rarest. Each further word costs another look-up in the index.
const SEARCHED_WORDS_MAX = 3
// Matches words of at least three letters. The trigram index cannot find shorter words.
const TRIGRAM_PATTERN = /[\p{L}\p{N}]{3}/u

/** Returns, as the text of a bigint[], the ids of all users who match every word of one of the alternatives,
 * and the ids of some other users. Returns undefined if there are too many ids, or if an alternative has no
 * word of three letters, because all users must then be read. */
export async function findUserCandidates(
  database: LimitedDatabase,
  ...alternatives: string[][]
): Promise<string | undefined> {
  const known = alternatives.map((words) =>
    words
      .filter((word) => TRIGRAM_PATTERN.test(word))
      .sort((one, other) => other.length - one.length)
      .slice(0, SEARCHED_WORDS_MAX),
  )
  if (known.some((words) => words.length === 0)) return undefined
  let value = 0
  const conditions = known.map((words) => words.map(() => `text LIKE lower($${++value}::text)`).join(' AND '))
  const { rows } = await database.query<{ number: number; ids: string }>({
    name: `find-candidates-${known.map((words) => words.length).join('-')}`,
    text: `SELECT count(*)::int AS number, '{' || coalesce(string_agg(user_id::text, ','), '') || '}' AS ids FROM (
      SELECT user_id FROM user_texts WHERE ${conditions.join(' OR ')}
      UNION ALL SELECT unnest(user_ids) FROM changed_user_texts LIMIT ${CANDIDATE_USERS_MAX + 1}
    ) AS found`,
    values: known.flat().map(toLikePattern),
  })
  const [found] = rows
  return found && found.number <= CANDIDATE_USERS_MAX ? found.ids : undefined
}
