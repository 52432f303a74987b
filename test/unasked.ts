/** Adds `--yes` to the commands of a recipe that ask for confirmation. */
export function unasked(recipe: string): string {
  return recipe.replaceAll(/\breviewctl ledger (?:accept|resolve)\b/g, '$& --yes');
}
