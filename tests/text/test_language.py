"""tools/text/words.py: English is told from other languages, also in short texts and with code."""

import pytest

from tools.text.words import language, language_name

ABSTRACTS = {
    "de": "In diesem Beitrag stellen wir ein Verfahren zur automatischen Erstellung von Übersichten "
    "über die Literatur vor. Das Verfahren sucht Arbeiten, ordnet sie und erzeugt einen Text mit "
    "geprüften Zitaten. Experimente zeigen, dass die Zitate zuverlässiger sind als bisher.",
    "es": "La revisión de la literatura es una etapa importante de la investigación. En este trabajo "
    "proponemos un método de recomendación de citas y lo evaluamos en un conjunto de datos público. "
    "Los resultados muestran que no hay pérdida de calidad.",
    "fr": "La revue de la littérature est une étape importante de la recherche. Dans cet article, on "
    "propose une méthode de recommandation de citations et on l'évalue sur un corpus public; les "
    "résultats montrent que la méthode est efficace.",
    "pt": "A revisão da literatura é uma etapa importante e a escolha dos artigos a citar no texto é "
    "demorada. Neste trabalho propomos um método de recomendação e avaliamos o método no conjunto de "
    "dados do projeto, com as limitações do sistema.",
    "nl": "In dit artikel stellen we een methode voor om citaties aan te bevelen. De methode is "
    "gebaseerd op een model dat we in een eerdere studie hebben getraind, en is in de praktijk beter.",
    "zh": "本文提出了一种自动生成文献综述的方法。该方法检索相关论文，并生成带有经过验证的引文的文本。",
    "ru": "В данной работе предлагается метод автоматического составления обзора литературы.",
    "ja": "本論文では、文献レビューを自動生成する手法を提案する。",
}


@pytest.mark.parametrize("code", ABSTRACTS)
def test_abstract_in_another_language_is_recognised(code: str) -> None:
    assert language(ABSTRACTS[code]) == code


def test_language_is_named_for_a_person() -> None:
    assert language_name("de") == "German"
    assert language_name("xx") == "xx"
