// Light or dark: as the system says, or as the button does.
// SPDX-License-Identifier: Apache-2.0
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
function theme(name) {
  document.documentElement.dataset.theme = name;
}
theme(prefersDark.matches ? "dark" : "light");
prefersDark.addEventListener("change", () => theme(prefersDark.matches ? "dark" : "light"));
document.getElementById("theme").addEventListener("click", () =>
  theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
