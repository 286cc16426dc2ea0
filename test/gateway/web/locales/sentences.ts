// Finds the sentences in the sources: the arguments of t, tHtml, sentence, sentences, plural, message and countedMessage. The
// compiler has no interface for programs, so this finds a template by its tag and reads it to its end.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../../local/tools/folders.ts'

export type FoundSentence = { key: string; file: string; isPlural: boolean }

const TAGGED_TEMPLATE = /(?<![\w.])(?:t|tHtml|sentences?|message)`/g
const PLURAL_CALL = /(?<![\w.]|function )(?:plural|countedMessage)\(/g
const COMMENT_LINE = /^\s*(?:\/\/|\/?\*).*$/gm
const STRING_LITERAL = /^\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\$]|\\.)*)`)\s*$/

/** Ignores scripts in the browser, which have their own catalog. */
export const SCRIPTS_FOLDER = 'gateway/web/browser'

export function findSentences(folder: string): FoundSentence[] {
  const names = readdirSync(join(projectDirectory, folder), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name))
  return files
    .filter((file) => folder === SCRIPTS_FOLDER || !file.startsWith(`${SCRIPTS_FOLDER}/`))
    .flatMap((file) => findSentencesInFile(file))
}

function findSentencesInFile(file: string): FoundSentence[] {
  const text = readFileSync(join(projectDirectory, file), 'utf8').replace(COMMENT_LINE, '')
  const tagged = [...text.matchAll(TAGGED_TEMPLATE)].flatMap(({ index, 0: tag }) => {
    const { key } = readTemplate(text, index + tag.length)
    const keys = tag === 'sentences`' ? key.trim().split(/,\s+/) : [key]
    return keys.map((each) => ({ key: each, file, isPlural: false }))
  })
  const plurals = [...text.matchAll(PLURAL_CALL)].map(({ index, 0: name }) => {
    const [, , other = ''] = readArguments(text, index + name.length)
    const found = STRING_LITERAL.exec(other)
    if (!found) throw new Error(`${file}: plural needs its sentences as they are, not ${other}`)
    return { key: readEscapes(found[1] ?? found[2] ?? found[3] ?? ''), file, isPlural: true }
  })
  return [...tagged, ...plurals]
}

const readEscapes = (text: string) => text.replace(/\\(.)/g, '$1')

/** Reads a template. `start` is the position after its first backtick. */
function readTemplate(text: string, start: number): { key: string; end: number } {
  let key = ''
  let values = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') key += text[++at]
    else if (text[at] === '`') return { key, end: at }
    else if (text.startsWith('${', at)) {
      key += `{${values++}}`
      at = findEndOfCode(text, at + 2, '}')
    } else key += text[at]
  }
  throw new Error(`A template has no end: ${text.slice(start, start + 80)}`)
}

/** Returns the position of `last`, skipping templates, strings and nested brackets. */
function findEndOfCode(text: string, start: number, last: string): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === last) return at
    if (character === '`') at = readTemplate(text, at + 1).end
    else if (character === "'" || character === '"') at = findEndOfText(text, at)
    else if (character in CLOSING_BRACKETS)
      at = findEndOfCode(text, at + 1, CLOSING_BRACKETS[character] ?? '')
  }
  throw new Error(`Code has no end: ${text.slice(start, start + 80)}`)
}

const CLOSING_BRACKETS: Record<string, string> = { '(': ')', '{': '}', '[': ']' }

function findEndOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at
  }
  throw new Error('A text has no end')
}

/** Returns the source text of each argument of a call. `start` is the position after its opening bracket. */
function readArguments(text: string, start: number): string[] {
  const end = findEndOfCode(text, start, ')')
  const found: string[] = []
  let from = start
  while (from < end) {
    const inner = text.slice(0, end)
    const comma = inner.indexOf(',', from) === -1 ? end : findNextComma(inner, from)
    found.push(text.slice(from, comma))
    from = comma + 1
  }
  return found
}

function findNextComma(text: string, start: number): number {
  try {
    return findEndOfCode(text, start, ',')
  } catch {
    return text.length
  }
}
