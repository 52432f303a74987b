/** The commands of a recipe that ask a person, with the flag by which they do not. */
export function unasked(recipe: string): string {
  return recipe.replaceAll(/\breviewctl ledger (?:accept|resolve)\b/g, '$& --yes');
}
