// Declares the part of sanitize-html that Berth uses. Its published types would add another version of the parser's
// types.
declare module 'sanitize-html' {
  type Attributes = Record<string, string>
  type Options = {
    allowedTags: string[]
    allowedAttributes: false
    allowedSchemesAppliedToAttributes: string[]
    nonTextTags: string[]
    nestingLimit: number
    parser: { xmlMode: boolean }
    parseStyleAttributes: boolean
    transformTags: { '*'(tagName: string, attribs: Attributes): { tagName: string; attribs: Attributes } }
    textFilter(escaped: string, tagName: string): string
  }
  export default function sanitizeHtml(text: string, options: Options): string
}
