// Finds the columns that the headings of an import file name: by a column's own name, or by what people call
// it.

/** An alias counts only in a file that does not have the column under its own name. */
export function nameColumns<Column extends string>(
  headings: ReadonlyArray<string | undefined>,
  ownColumn: (name: string) => Column | undefined,
  aliases: Readonly<Record<string, Column>>,
): Array<Column | undefined> {
  const names = Array.from(headings, (heading) => heading?.trim().toLowerCase() ?? '')
  const own = names.map(ownColumn)
  return names.map((name, place) => {
    const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined
    return own[place] ?? (alias && !own.includes(alias) ? alias : undefined)
  })
}
